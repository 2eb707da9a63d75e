import type { Run } from '../db/transaction.ts'
import { keysStatement, onlyKeys } from '../query/keys-statement.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { type Plan, planRows } from '../query/plan.ts'
import { type JsonText, jsonList, jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { toRowId } from '../rows/row-id.ts'
import { viewKeys } from '../table/action-key.ts'
import type { OpenedTable, ViewedTable } from '../table/open-table.ts'
import { isEmpty, readItemContext } from './item-context.ts'
import { readItemShape } from './item-shape.ts'
import { ownValue, type Payload, type TableRequest, type UnknownBody } from './table-request.ts'
import { applyView } from './use-saved-views.ts'

/**
 * Reads the rows that an action has changed as its caller's page shows them, in the action's transaction; a part of its
 * response.
 */
export type ReadEffects = (run: Run, keys: readonly string[]) => Promise<Payload>

/** A request without the keys that ask for effects, and their reader. */
export interface AskedEffects {
  readonly asked: TableRequest
  readonly readEffects: ReadEffects
}

/** More rows are not listed: their client asks for its page anew. */
const maxRows = 1_000
/** Characters of JSON. A response with more would hold little else. */
const maxLength = 1_000_000

/** The keys that the form of an action must not see. */
const effectKeys: ReadonlySet<string> = new Set(['include', 'row_actions', ...viewKeys])

/**
 * Plans how the rows that an action changes are shown on the page that `page` describes, without the fields of the
 * action's form.
 */
export async function planEffects(
  request: TableRequest,
  page: UnknownBody,
  formFields: readonly string[],
): Promise<AskedEffects> {
  const withoutForm = Object.entries(page).filter(([key]) => !formFields.includes(key))
  const viewed = { ...request, body: Object.fromEntries(withoutForm) }
  const window = await readWindow(isEmpty(ownValue(viewed.body, 'view')) ? viewed : await applyView(viewed))
  const include = ownValue(page, 'include')
  if (!(Array.isArray(include) && include.includes('effects'))) return { asked: request, readEffects: async () => ({}) }
  // A plan has kept nothing but what its form reads.
  const isOfForm = (key: string) => request.pageBody !== undefined || formFields.includes(key)
  const rest = Object.entries(request.body).filter(([key]) => isOfForm(key) || !effectKeys.has(key))
  const asked = { ...request, body: Object.fromEntries(rest), sentBody: request.sentBody ?? request.body }
  return { asked, readEffects: createReader(request, window) }
}

/** The items of a page, and the conditions that its rows meet. */
interface EffectsWindow {
  readonly shape: ViewedTable
  readonly plan: Plan
}

async function readWindow(request: TableRequest): Promise<EffectsWindow> {
  const { view, context, body, config } = request
  const readShape = await readItemShape(request, ['effects', 'selection'])
  const extensions = await loadPlanExtensions(request, body, config.SERVICE_SECRET)
  return {
    shape: readShape(readItemContext(request)),
    plan: planRows(view, { filters: ownValue(body, 'filters'), extensions }, context.timeZone),
  }
}

function createReader(request: TableRequest, { shape, plan }: EffectsWindow): ReadEffects {
  const { view } = request
  const opened: OpenedTable = { ...request, ...shape }
  return async (run, keys) => {
    const parts = ['aggregates', 'facets', ...(view.bindings.length > 0 ? ['bindings'] : [])]
    const refetch = keys.length > 0 ? parts : []
    const warnings = plan.warnings.length > 0 && { warnings: plan.warnings }
    const whole = { effects: { rows: [], removed: [], refetch: ['rows', ...refetch], ...warnings } }
    if (keys.length > maxRows) return whole
    const [items, matching] = await Promise.all([
      readItems({ read: run }, opened, keys),
      findMatching(run, opened, plan, keys),
    ])
    const shown = keys.map((key, index) => (matching.has(key) ? items[index] : undefined))
    const rows = shown.filter((item): item is JsonText => item !== undefined)
    if (rows.reduce((length, item) => length + jsonTextValue(item).length, 0) > maxLength) return whole
    const removed = keys.filter((_, index) => shown[index] === undefined).map((key) => toRowId(view.table.key, key))
    return { effects: jsonObject({ rows: jsonList(rows), removed, refetch, ...warnings }) }
  }
}

/** Finds which of these rows the page would show. */
async function findMatching(
  run: Run,
  opened: OpenedTable,
  plan: Plan,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (plan.conditions.length === 0 || keys.length === 0) return new Set(keys)
  const { text, parameters } = keysStatement(opened, onlyKeys(opened.view, plan, keys), keys.length)
  const rows = await run(text, parameters)
  return new Set(rows.map(([key]) => String(key)))
}
