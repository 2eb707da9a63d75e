import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { errorMessage } from '../local/error-message.ts'
import type { Clients } from './clients.ts'
import { fault, type NewFinding, ok } from './finding.ts'
import type { StagePlan } from './stage-plan.ts'

/** Looks whose credentials these are. Nothing else can be asked where there are none, or of another account. */
export async function checkAccount(
  { identity }: Pick<Clients, 'identity'>,
  { account, region, stage }: StagePlan,
): Promise<NewFinding> {
  const signIn = 'Sign in to the account of the stage (aws sso login, AWS_PROFILE, or the role of the pipeline)'
  try {
    const { Account, Arn } = await identity.send(new GetCallerIdentityCommand({}))
    if (account !== undefined && Account !== account)
      return fault(`credentials are of account ${Account} (${Arn}), stage ${stage.name} is of ${account}`, signIn)
    return ok(
      `${Arn}, account ${Account}, region ${region}${account === undefined ? ' (the stage names no account)' : ''}`,
    )
  } catch (error) {
    return fault(`no credentials that AWS accepts: ${errorMessage(error)}`, signIn)
  }
}
