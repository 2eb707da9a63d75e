import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand } from '@aws-sdk/client-lambda'
import { unreservedConcurrency } from '../settings/function-settings.ts'
import type { Check, CheckContext } from './check.ts'
import { listDeployedIds } from './deployed-stack.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'

/** Whether the account has the concurrent executions that the functions reserve. */
export const concurrencyCheck: Check = {
  name: 'lambda-concurrency',
  actions: ['lambda:GetAccountSettings', 'lambda:GetFunctionConcurrency'],
  run: async (context) => {
    const { clients, plan } = context
    const { AccountLimit = {} } = await clients.functions.send(new GetAccountSettingsCommand({}))
    const { ConcurrentExecutions: limit = 0, UnreservedConcurrentExecutions: free = limit } = AccountLimit
    const ask = (min: number) =>
      `Ask for at least ${min}: aws service-quotas request-service-quota-increase --service-code lambda ` +
      `--quota-code L-B99A9384 --desired-value ${min} --region ${plan.region}`
    const { accountConcurrency: stated, reservedConcurrency } = plan.stage
    if (stated > limit)
      return [fault(`accountConcurrency of the stage is ${stated}, the account has ${limit}`, ask(stated))]
    if (reservedConcurrency === 'off') return [checkWithoutReservations(stated, limit)]
    const own = await countReserved(context)
    const needed = limit - free - own + plan.reserved + unreservedConcurrency
    const text = `the stage reserves ${plan.reserved}, other functions ${limit - free - own}, of ${limit} of the account`
    return needed <= limit ? [ok(text)] : [fault(`${text}; ${unreservedConcurrency} must stay unreserved`, ask(needed))]
  },
}

/** Without reservations, the account's quota is what keeps the functions below the database's connections. */
function checkWithoutReservations(stated: number, limit: number): NewFinding {
  if (stated === limit) return ok(`the account has ${limit}, as the stage says; it reserves none`)
  return warning(
    `the account has ${limit}, accountConcurrency of the stage is ${stated}: functions may open more connections than the stage allows`,
    `Set accountConcurrency: ${limit} in stages.ts, and database.connections to match`,
  )
}

/** Returns the concurrency that deployed functions have reserved already. */
async function countReserved({ clients, deployed }: CheckContext): Promise<number> {
  let sum = 0
  for (const FunctionName of listDeployedIds(deployed, 'AWS::Lambda::Function')) {
    const response = await findOptional(clients.functions.send(new GetFunctionConcurrencyCommand({ FunctionName })))
    sum += response?.ReservedConcurrentExecutions ?? 0
  }
  return sum
}
