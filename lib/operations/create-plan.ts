import type { RowFailure } from '../actions/row-outcome.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { versionsStatement } from '../query/keys-statement.ts'
import { jsonTextValue } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { toRowId } from '../rows/row-id.ts'
import { hasVersions } from '../rows/row-version.ts'
import { insertPlan, maxPlans, type PlannedRows } from '../storage/plans.ts'
import { sealColumn } from '../storage/sealed-column.ts'
import { allRowsKeys, selectionKeys, tokenKeys, versionKeys, viewKeys } from '../table/action-key.ts'
import { planSeal } from './claim-plan.ts'
import { type PlannedAction, planPlace } from './open-plan.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** The rows of a plan by what would happen to them. */
export interface PlanContent extends PlannedAction {
  /** The fields of the action's form. */
  readonly formKeys: readonly string[]
  /** Whether the form may read other keys of the body, too. */
  readonly isOpen: boolean
  /** The keys of the rows on which the action would run. */
  readonly keys: readonly string[]
  readonly refused: readonly (readonly [id: string | number, failure: RowFailure])[]
  /** Runs the action on the rows with these keys and returns those that it has not refused; absent if it cannot be tried. */
  readonly preview: ((keys: readonly string[]) => Promise<readonly string[]>) | undefined
}

/** Stores a plan in its transaction and describes it. Runs nothing but the preview, which is undone. */
export async function createPlan(
  request: TableRequest,
  transaction: Transaction,
  content: PlanContent,
): Promise<Payload> {
  const { keys, refused } = content
  const rows = await readRows(request, transaction, keys)
  const sample = await readSample(request, transaction, content)
  const place = planPlace(request, content)
  const sealed = sealBody(request, content)
  const stored = await insertPlan(transaction.run, place, { request: { sealed }, rows })
  if (stored === undefined) throw new RequestError('too_many_plans', { limit: maxPlans })
  return {
    plan: {
      id: stored.id,
      rows: keys.length + refused.length,
      applicable: keys.length,
      refused: groupRefusals(request, refused),
      ...sample,
      expires_at: stored.expiresAt,
    },
  }
}

const selecting: ReadonlySet<string> = new Set([
  ...['selected_ids', 'filters', 'params', 'expected_count', 'dry_run', 'plan'],
  ...selectionKeys,
  ...[...allRowsKeys, ...tokenKeys, ...versionKeys, ...viewKeys],
])

/** Keys that a run reads beside the fields of its form. */
const running: ReadonlySet<string> = new Set(['sorts', 'emails'])

const maxBodyLength = 262_144

/**
 * Seals the part of the body that the run needs: it may hold values of sensitive columns. Throws `body_too_large`, because plans are kept for
 * a day.
 */
function sealBody(request: TableRequest, { formKeys, isOpen, ...action }: PlanContent): string {
  const kept = Object.entries(request.body).filter(([key]) => {
    if (formKeys.includes(key) || running.has(key)) return true
    return isOpen && !selecting.has(key)
  })
  const text = JSON.stringify(Object.fromEntries(kept))
  if (text.length > maxBodyLength) throw new RequestError('body_too_large', { limit: maxBodyLength })
  return sealColumn(request.config.SERVICE_SECRET, planSeal(planPlace(request, action)), text)
}

async function readRows(request: TableRequest, { run }: Transaction, keys: readonly string[]): Promise<PlannedRows> {
  if (keys.length === 0 || !(await hasVersions({ read: run }, request.table))) return { keys }
  const { text, parameters } = versionsStatement(request, keys)
  const versions = new Map((await run(text, parameters)).map(([key, version]) => [String(key), String(version)]))
  return { keys, versions: keys.map((key) => versions.get(key) ?? '') }
}

const maxSamples = 20
const maxSampleIds = 10

function groupRefusals({ language }: TableRequest, refused: PlanContent['refused']) {
  const groups = Map.groupBy(refused, ([, { code, text }]) => `${code} ${text.en}`)
  return [...groups.values()].map((group) => {
    const [, { code, text }] = group[0] as (typeof group)[number]
    const ids = group.slice(0, maxSampleIds).map(([id]) => id)
    return { code, text: translate(text, language), count: group.length, sample_ids: ids }
  })
}

/** Tries the action on the first rows, and undoes it. */
async function readSample(
  request: TableRequest,
  { run }: Transaction,
  { keys, preview }: PlanContent,
): Promise<Payload> {
  if (preview === undefined) return { sample: [], sample_omitted: 'not_previewable' }
  const tried = keys.slice(0, maxSamples)
  const read = async (some: readonly string[]) =>
    (await readItems({ read: run }, request, some)).map((item) =>
      item === undefined ? null : JSON.parse(jsonTextValue(item)),
    )
  const before = await read(tried)
  await run('savepoint preview', [])
  try {
    const changed = await preview(tried)
    const after = await read(changed)
    const sample = changed.map((key, index) => ({
      id: toRowId(request.table.key, key),
      before: before[tried.indexOf(key)],
      after: after[index],
    }))
    return { sample }
  } catch (error) {
    if (!(error instanceof RequestError) || error.status >= 500) throw error
    return { sample: [], sample_omitted: error.code }
  } finally {
    await run('rollback to savepoint preview', [])
  }
}
