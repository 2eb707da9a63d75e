import type { Resolver } from 'node:dns/promises'
import { bootstrapCheck } from './bootstrap-check.ts'
import { type Check, type CheckContext, runCheck } from './check.ts'
import { checkAccount } from './check-account.ts'
import type { Clients } from './clients.ts'
import { concurrencyCheck } from './concurrency-check.ts'
import { readDeployedStack } from './deployed-stack.ts'
import { domainCheck } from './domain-check.ts'
import { engineCheck } from './engine-check.ts'
import { existingDatabaseCheck } from './existing-database-check.ts'
import { existingNetworkCheck } from './existing-network-check.ts'
import type { Finding } from './finding.ts'
import { gatewayCheck } from './gateway-check.ts'
import { issuerCheck } from './issuer-check.ts'
import { leftoversCheck } from './leftovers-check.ts'
import { mailChecks } from './mail-check.ts'
import { networkCheck } from './network-check.ts'
import { placeholderCheck } from './placeholder-check.ts'
import { stackCheck } from './stack-check.ts'
import type { StagePlan } from './stage-plan.ts'

const checks: readonly Check[] = [
  bootstrapCheck,
  leftoversCheck,
  concurrencyCheck,
  networkCheck,
  gatewayCheck,
  engineCheck,
  ...mailChecks,
  domainCheck,
  existingNetworkCheck,
  existingDatabaseCheck,
]

/** Those that ask nothing of AWS, so that they are made without credentials as well. */
const offlineChecks: readonly Check[] = [placeholderCheck, issuerCheck]

export interface PreflightOptions extends Pick<CheckContext, 'registry'> {
  /** A token of the issuer, to be verified as the functions will. */
  readonly token?: string | undefined
}

/**
 * Looks at everything that a deployment of the stage needs. Changes nothing, and never rejects for what AWS answers.
 */
export async function runPreflight(
  plan: StagePlan,
  clients: Clients,
  dns: Resolver,
  { token, registry }: PreflightOptions = {},
): Promise<readonly Finding[]> {
  const early = { clients, plan, deployed: undefined, dns, token, registry }
  const offline = await runChecks(offlineChecks, early)
  const account: Finding = { check: 'account', ...(await checkAccount(clients, plan)) }
  if (account.level === 'error') return [...offline, account]
  let deployed: CheckContext['deployed']
  // Whether there is a stack decides what the other checks expect, so it is read once.
  const reading: Check = {
    ...stackCheck,
    run: async (context) => {
      deployed = await readDeployedStack(clients, plan.stackName)
      return stackCheck.run({ ...context, deployed })
    },
  }
  const stack = await runCheck(reading, early)
  return [...offline, account, ...stack, ...(await runChecks(checks, { ...early, deployed }))]
}

async function runChecks(all: readonly Check[], context: CheckContext): Promise<readonly Finding[]> {
  const concerned = all.filter(({ concerns }) => concerns?.(context.plan) ?? true)
  return (await Promise.all(concerned.map((check) => runCheck(check, context)))).flat()
}
