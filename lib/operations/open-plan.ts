import { findOutdatedRows } from '../actions/find-outdated-rows.ts'
import { refuseKeys } from '../actions/known-keys.ts'
import { type RowFailure, rowResult } from '../actions/row-outcome.ts'
import type { Transaction } from '../db/transaction.ts'
import { actionFault } from '../errors/action-fault.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { truths, uuid } from '../query/read-value.ts'
import { fitsKey } from '../rows/key-text.ts'
import { toRowId } from '../rows/row-id.ts'
import { findPlan, type PlanPlace, planSeal } from '../storage/plans.ts'
import { openColumn } from '../storage/sealed-column.ts'
import { planKeys } from '../table/action-key.ts'
import { replayPlan } from './claim-plan.ts'
import type { Reply } from './reply.ts'
import { requestPlace } from './request-place.ts'
import { ownValue, type TableRequest, type UnknownBody } from './table-request.ts'

/** An action by its key and its endpoint. */
export interface PlannedAction {
  readonly key: string
  readonly kind: PlanPlace['kind']
}

/** Refuses plans where an action runs on one row or only reads. Throws `validation_failed`. */
export function assertNoPlan(
  body: UnknownBody,
  formFields: readonly string[],
  fault: 'no_plan' | 'no_plan_of_one_row' | 'no_plan_of_row_action' = 'no_plan',
): void {
  const named = planKeys.filter((key) => !formFields.includes(key) && isSet(ownValue(body, key)))
  refuseKeys(named, actionFault(fault))
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && truths.get(value) !== false

/**
 * Returns the request as its plan has it: with `plan` one that only plans, with `plan_id` the one that was planned, or
 * the first response if that was applied before. Throws `validation_failed`, `plan_not_found` or `plan_expired`.
 */
export async function readPlanned(
  request: TableRequest,
  action: PlannedAction,
  formFields: readonly string[],
): Promise<TableRequest | Reply> {
  const { body } = request
  // A form field hides the key of the same name, so that a plan could be made and not applied, or applied and not made.
  if (planKeys.some((key) => formFields.includes(key))) {
    assertNoPlan(body, formFields)
    return request
  }
  const id = ownValue(body, 'plan_id') ?? undefined
  if (id !== undefined) return openPlan(request, action, id)
  const asked = ownValue(body, 'plan') ?? undefined
  if (asked === undefined) return request
  const isPlanning = truths.get(asked)
  if (isPlanning === undefined) throw validationFailed({ plan: [fieldFault('not_a_boolean')] })
  if (!isPlanning) return request
  if (isSet(ownValue(body, 'dry_run'))) throw validationFailed({ plan: [actionFault('not_with_dry_run')] })
  return { ...request, isPlanning }
}

/** The keys beside `plan_id` that describe the page on which the effects of a plan show. */
const pageKeys = ['include', 'columns', 'row_actions'] as const

async function openPlan(request: TableRequest, action: PlannedAction, id: unknown): Promise<TableRequest | Reply> {
  const { body, database } = request
  const page = Object.fromEntries(pageKeys.filter((key) => Object.hasOwn(body, key)).map((key) => [key, body[key]]))
  const others = Object.keys(body).filter((key) => key !== 'plan_id' && key !== 'params' && !Object.hasOwn(page, key))
  refuseKeys(others, actionFault('not_with_plan_id'))
  const planId = readPlanId(id)
  const plan = await findPlan(database.read, planPlace(request, action), planId)
  if (plan === undefined) throw new RequestError('plan_not_found')
  const replayed = await replayPlan(request, planId, plan)
  if (replayed !== undefined) return replayed
  const { sealed = '' } = plan.request
  const opened = openColumn(request.config.SERVICE_SECRET, planSeal(planPlace(request, action)), sealed)
  // The secret has changed, or another version of the service has stored it.
  if (opened === undefined) throw new RequestError('plan_expired')
  const planned: UnknownBody = JSON.parse(opened)
  const { rows } = plan
  // The key of the table has another type by now.
  if (!rows.keys.every((key) => fitsKey(request.table.key, key))) throw new RequestError('plan_expired')
  const ids = rows.keys.map((key) => toRowId(request.table.key, key))
  const params = Object.hasOwn(body, 'params') ? { params: body['params'] } : {}
  return {
    ...request,
    body: { ...planned, ...params, selected_ids: ids },
    sentBody: request.sentBody ?? body,
    pageBody: page,
    plan: { id: planId, rows },
  }
}

/** Reads the id of a plan as Postgres writes it, because the seal of a response names it so. */
export function readPlanId(id: unknown): string {
  if (typeof id !== 'string' || !uuid.test(id)) throw validationFailed({ plan_id: [fieldFault('not_a_uuid')] })
  return id.toLowerCase()
}

/** Names the action, the caller and the `params` of a plan, which must be the same when it is applied. */
export const planPlace = (request: TableRequest, { key, kind }: PlannedAction): PlanPlace => ({
  ...requestPlace(request),
  action: key,
  kind,
})

type Failures = ReadonlyMap<string, RowFailure>

/**
 * Returns the rows of an applied plan that are not as they were planned, or not in the scope any more. Throws
 * `plan_outdated` with the rows if there is one and the action is all or nothing. An action that changes rows calls it
 * after they are locked.
 */
export async function findOutdated(
  request: TableRequest,
  { run }: Pick<Transaction, 'run'>,
  isAtomic: boolean,
): Promise<Failures> {
  const { plan, table } = request
  if (plan === undefined) return new Map()
  const failures = await findOutdatedRows(request, { run }, plan.rows)
  if (!isAtomic || failures.size === 0) return failures
  const results = [...failures]
    .slice(0, maxResults)
    .map(([key, failure]) => rowResult(toRowId(table.key, key), failure))
  throw new RequestError('plan_outdated', {}, { payload: { results, counts: { succeeded: 0, failed: failures.size } } })
}

const maxResults = 100
