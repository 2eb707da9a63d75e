import { callerRights, plainValue } from '../auth/identity.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { completePlan, lockPlan, type PlanState } from '../storage/plans.ts'
import { replay, shortenAnswer } from './replay.ts'
import type { Reply, replyWith } from './reply.ts'
import type { AppliedPlan, TableRequest } from './table-request.ts'

/** Takes a plan for this transaction. Returns the first response if it was applied before. Throws `plan_expired`. */
export async function claimPlan(
  request: TableRequest,
  run: Transaction['run'],
  { id }: AppliedPlan,
): Promise<Reply | undefined> {
  const state = await lockPlan(run, id)
  if (state === undefined) throw new RequestError('plan_not_found')
  return replayPlan(request, state)
}

/** Returns the first response of a plan that was applied, marked as a replay. Throws `plan_expired`. */
export async function replayPlan(
  request: TableRequest,
  { isExpired, response, rights }: PlanState,
): Promise<Reply | undefined> {
  if (response === undefined && isExpired) throw new RequestError('plan_expired')
  if (response === undefined) return undefined
  const marked = JSON.stringify({
    success: true,
    code: 'plan_already_applied',
    replayed: true,
    ...JSON.parse(response),
  })
  // Rows that the caller could see then may be hidden now.
  return replay(request, rights === writeRights(request) ? marked : shortenAnswer(marked))
}

/** Keeps the response of a plan in the transaction that has applied it. */
export const keepPlanAnswer = (
  request: TableRequest,
  run: Transaction['run'],
  { id }: AppliedPlan,
  { body }: ReturnType<typeof replyWith>,
): Promise<void> => completePlan(run, id, String(body), writeRights(request))

const writeRights = ({ identity }: TableRequest): string => JSON.stringify(callerRights(identity), plainValue)
