import type { Resolver } from 'node:dns/promises'
import { errorMessage } from '../local/error-message.ts'
import type { LintedRegistry } from '../scaffold/lint/advise-on-live-tables.ts'
import type { Clients } from './clients.ts'
import type { DeployedStack } from './deployed-stack.ts'
import { type Finding, type NewFinding, unknown } from './finding.ts'
import type { StagePlan } from './stage-plan.ts'

export interface CheckContext {
  readonly clients: Clients
  readonly plan: StagePlan
  /** The stack as it is there; `undefined` before the first deployment. */
  readonly deployed: DeployedStack | undefined
  readonly dns: Resolver
  /** A token of the issuer, to be verified as the functions will. */
  readonly token: string | undefined
  /** The tables of the service; default: those of this checkout. */
  readonly registry?: LintedRegistry | undefined
}

export interface Check {
  /** Lower case with hyphens, such as `lambda-concurrency`. */
  readonly name: string
  /** The rights that it takes, in the words of IAM. */
  readonly actions: readonly string[]
  /** Whether the stage has what is checked; default: every stage. */
  readonly concerns?: (plan: StagePlan) => boolean
  readonly run: (context: CheckContext) => Promise<readonly NewFinding[]>
}

const denials: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationError',
  'AuthorizationErrorException',
  'UnauthorizedOperation',
])

const isDenied = (error: unknown): boolean => error instanceof Error && denials.has(error.name)

/** Runs a check. Never rejects: what it could not look at is a finding. */
export async function runCheck({ name, actions, run }: Check, context: CheckContext): Promise<readonly Finding[]> {
  const findings = await run(context).catch((error: unknown) => [
    isDenied(error)
      ? unknown(
          `not looked at: ${errorMessage(error)}`,
          `Allow ${actions.join(', ')} to the identity that runs the preflight`,
        )
      : unknown(`not looked at: ${errorMessage(error)}`, 'Run it again; then look at the network and the credentials'),
  ])
  return findings.map((finding) => ({ check: name, ...finding }))
}
