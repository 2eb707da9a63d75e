import { callerRights, plainValue } from '../auth/identity.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { completePlan, lockPlan, type PlanState } from '../storage/plans.ts'
import { openColumn, sealColumn } from '../storage/sealed-column.ts'
import { describeItems, replay, shortenResponse } from './replay.ts'
import type { Reply } from './reply.ts'
import type { AppliedPlan, TableRequest } from './table-request.ts'

/**
 * Takes a plan for this transaction. Returns the first response if it was applied before. Throws `plan_not_found` or
 * `plan_expired`.
 */
export async function claimPlan(request: TableRequest, run: Run, { id }: AppliedPlan): Promise<Reply | undefined> {
  const state = await lockPlan(run, id)
  if (state === undefined) throw new RequestError('plan_not_found')
  return replayPlan(request, id, state)
}

/** Returns the first response of a plan that was applied, marked as a replay. Throws `plan_expired`. */
export async function replayPlan(
  request: TableRequest,
  id: string,
  { isExpired, response, rights }: PlanState,
): Promise<Reply | undefined> {
  if (response === undefined && isExpired) throw new RequestError('plan_expired')
  if (response === undefined) return undefined
  const opened = openColumn(request.config.SERVICE_SECRET, planResponseSeal(request, id), response)
  // It was applied under another secret, so its response cannot be shown again.
  if (opened === undefined) throw new RequestError('plan_expired')
  const marked = JSON.stringify({
    success: true,
    code: 'plan_already_applied',
    replayed: true,
    ...JSON.parse(opened),
  })
  // Rows that the caller could see then may be hidden now.
  return replay(request, rights === writeRights(request) ? marked : shortenResponse(marked))
}

const planResponseSeal = ({ identity, table }: TableRequest, id: string): string =>
  `response of a plan\n${JSON.stringify([identity.subject, table.name, id])}`

/** Keeps the response of a plan sealed, in the transaction that has applied it. */
export const keepPlanResponse = (
  request: TableRequest,
  run: Run,
  { id }: AppliedPlan,
  response: string,
): Promise<void> => {
  const sealed = sealColumn(request.config.SERVICE_SECRET, planResponseSeal(request, id), response)
  return completePlan(run, id, sealed, writeRights(request))
}

/** The rights of a caller and the columns that they give: what one has seen may be hidden from others, or later. */
export const writeRights = (request: TableRequest): string =>
  JSON.stringify([callerRights(request.identity), describeItems(request)], plainValue)
