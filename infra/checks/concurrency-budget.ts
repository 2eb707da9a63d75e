import * as z from 'zod'
import { connectionsPerFunction, type DeployedName, unreservedConcurrency } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'
import type { StackTemplate } from './stage-template.ts'

const lambda = z.object({ Description: z.string().default(''), ReservedConcurrentExecutions: z.number().optional() })
const mapping = z.object({ ScalingConfig: z.object({ MaximumConcurrency: z.number() }) })

/** The connections and the concurrency that the functions of a template can use at most. */
export interface ConcurrencyBudget {
  readonly reserved: number
  readonly connections: number
}

/**
 * Adds up what a template reserves, and the connections that functions can use at once within that and the account's
 * quota.
 */
export function concurrencyBudget({ Resources }: StackTemplate, { accountConcurrency }: Stage): ConcurrencyBudget {
  const properties = (type: string) =>
    Object.values(Resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []))
  const functions = properties('AWS::Lambda::Function').map((one) => lambda.parse(one))
  const reserved = functions.reduce((sum, one) => sum + (one.ReservedConcurrentExecutions ?? 0), 0)
  if (reserved === 0) {
    const workers = properties('AWS::Lambda::EventSourceMapping').map(
      (one) => mapping.parse(one).ScalingConfig.MaximumConcurrency,
    )
    const second = workers.reduce((sum, one) => sum + Math.min(one, accountConcurrency), 0)
    return { reserved, connections: accountConcurrency + second }
  }
  const connections = functions.reduce(
    (sum, { Description, ReservedConcurrentExecutions = Number.POSITIVE_INFINITY }) => {
      const name = /^functions\/(.+)\.ts /.exec(Description)?.[1]
      const each = name === undefined ? 0 : connectionsPerFunction(name as DeployedName)
      return each === 0 ? sum : sum + each * ReservedConcurrentExecutions
    },
    0,
  )
  return { reserved, connections }
}

/** Returns a sentence where functions could open more connections, or reserve more, than there is. */
export function findBudgetFaults(template: StackTemplate, stage: Stage): readonly string[] {
  const { reserved, connections } = concurrencyBudget(template, stage)
  const { database, accountConcurrency } = stage
  const faults: string[] = []
  if (connections > database.connections)
    faults.push(`functions can open ${connections} connections, of ${database.connections} (database.connections)`)
  if (reserved > 0 && reserved + unreservedConcurrency > accountConcurrency)
    faults.push(
      `functions reserve ${reserved} of ${accountConcurrency} concurrent executions (accountConcurrency), of which Lambda keeps ${unreservedConcurrency} unreserved`,
    )
  return faults
}
