import { countRefusals } from '../actions/plan-refusals.ts'
import type { RowFailure } from '../actions/row-outcome.ts'
import { maxSampleBytes, shortenSample, type TryAction, tryAction } from '../actions/try-action.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { insertPlan, maxPlans, type PlannedRows, planSeal } from '../storage/plans.ts'
import { sealColumn } from '../storage/sealed-column.ts'
import { allRowsKeys, selectionKeys, tokenKeys, versionKeys, viewKeys } from '../table/action-key.ts'
import { type PlannedAction, planPlace } from './open-plan.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** An action that is planned, and the fields of its form. */
export interface PlannedForm extends PlannedAction {
  readonly formKeys: readonly string[]
  /** Whether the form may read other keys of the body, too. */
  readonly isOpen: boolean
}

/** The rows of a plan, grouped by what would happen to them. */
export interface PlanContent extends PlannedForm {
  /** The rows on which the action would run, with their versions as they were read together with what was checked. */
  readonly rows: PlannedRows
  readonly refused: readonly (readonly [id: string | number, failure: RowFailure])[]
  /** Absent if the action cannot be tried. */
  readonly preview: TryAction | undefined
}

/** Stores a plan in its transaction and describes it. Runs nothing but the preview, which is undone. */
export async function createPlan(
  request: TableRequest,
  transaction: Transaction,
  content: PlanContent,
): Promise<Payload> {
  const { rows, refused, preview } = content
  const sample = shortenSample(await tryAction(request, transaction, rows.keys, preview), maxSampleBytes)
  const place = planPlace(request, content)
  const sealed = sealBody(request, content)
  const stored = await insertPlan(transaction.run, place, { request: { sealed }, rows })
  if (stored === undefined) throw new RequestError('too_many_plans', { limit: maxPlans })
  return {
    plan: {
      id: stored.id,
      rows: rows.keys.length + refused.length,
      applicable: rows.keys.length,
      refused: countRefusals(refused, request.language),
      ...sample,
      expires_at: stored.expiresAt,
    },
  }
}

const selecting: ReadonlySet<string> = new Set([
  'selected_ids',
  'filters',
  'params',
  'expected_count',
  'dry_run',
  'plan',
  ...selectionKeys,
  ...allRowsKeys,
  ...tokenKeys,
  ...versionKeys,
  ...viewKeys,
])

/** Keys that a run reads beside the fields of its form. */
const running: ReadonlySet<string> = new Set(['sorts', 'emails'])

const maxBodyLength = 262_144

/**
 * Seals the part of the body that the run needs: it may hold values of sensitive columns. Throws `body_too_large`,
 * because plans are kept for a day.
 */
export function sealBody(request: TableRequest, { formKeys, isOpen, ...action }: PlannedForm): string {
  const kept = Object.entries(request.body).filter(([key]) => {
    if (formKeys.includes(key) || running.has(key)) return true
    return isOpen && !selecting.has(key)
  })
  const text = JSON.stringify(Object.fromEntries(kept))
  if (text.length > maxBodyLength) throw new RequestError('body_too_large', { limit: maxBodyLength })
  return sealColumn(request.config.SERVICE_SECRET, planSeal(planPlace(request, action)), text)
}
