import { hash } from 'node:crypto'
import { listOptions } from '../errors/field-fault.ts'
import { allReadable, validationFailed } from '../errors/request-error.ts'
import type { ShownRows } from '../push/subscriptions.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { readPage } from '../query/page.ts'
import { boundPage } from '../query/page-budget.ts'
import { isCostly } from '../query/page-statement.ts'
import { planRows, type Warning } from '../query/plan.ts'
import { pageOffset, readWhole } from '../query/read-value.ts'
import { formatRows } from '../rows/item.ts'
import { type JsonText, jsonTextValue } from '../rows/json-text.ts'
import { toRowId } from '../rows/row-id.ts'
import { selectionKeys, viewKeys } from '../table/action-key.ts'
import { loadItemShape } from './item-actions.ts'
import { isEmpty } from './item-context.ts'
import { ownValue, type TableRequest } from './table-request.ts'
import { applyView } from './use-saved-views.ts'

/** The rows of a page, without its total and its options. */
export interface WatchedPage {
  readonly items: readonly JsonText[]
  /** The id and a digest of each item. */
  readonly rows: ShownRows
  readonly warnings: readonly Warning[]
}

/** The keys of query-table that a watched page may have. */
const watchedKeys = new Set<string>([
  'filters',
  'sorts',
  'params',
  'columns',
  'include',
  'row_actions',
  'page',
  'perPage',
  ...selectionKeys,
  ...viewKeys,
])

/** The most rows of a watched page. */
const maxWatchedRows = 100
const maxPage = 2 ** 31 - 1
/** The most unknown keys that an error names, and the most characters of each. */
const maxFaults = 10
const maxNameLength = 100
const defaultRows = 20

/** Throws `validation_failed` for a key that says nothing of a page's rows. */
export function assertWatchable({ body }: Pick<TableRequest, 'body'>): void {
  const unknown = Object.keys(body).filter((key) => !watchedKeys.has(key))
  if (unknown.length === 0) return
  const allowed = listOptions([...watchedKeys])
  const named = unknown.slice(0, maxFaults).map((key) => [`query.${key.slice(0, maxNameLength)}`, [allowed]] as const)
  throw validationFailed(Object.fromEntries(named))
}

/** Reads the rows that the body of query-table shows, by the same checks and the same statement. */
export async function readWindow(request: TableRequest): Promise<WatchedPage> {
  return readRows(isEmpty(ownValue(request.body, 'view')) ? request : await applyView(request))
}

async function readRows(request: TableRequest): Promise<WatchedPage> {
  const { view, context, body, table } = request
  const extensions = await loadPlanExtensions(request, body, request.config.SERVICE_SECRET)
  const asked = { filters: ownValue(body, 'filters'), sorts: ownValue(body, 'sorts'), extensions }
  const readShape = await loadItemShape(request, [])
  const maxRows = Math.min(maxWatchedRows, table.maxPerPage)
  const [plan, limit, number, shape] = allReadable([
    () => planRows(view, asked, context.timeZone),
    () => readWhole(ownValue(body, 'perPage') ?? Math.min(defaultRows, maxRows), 1, maxRows, 'perPage'),
    () => readWhole(ownValue(body, 'page') ?? 1, 1, maxPage, 'page'),
    readShape,
  ])
  const { maxOffset, pageBudgetMs } = table.definition
  const offset = pageOffset(number, limit, maxOffset)
  const opened = { ...request, ...shape }
  const window = { limit, offset, after: undefined }
  const isBounded = pageBudgetMs !== undefined && isCostly(plan, window)
  const database = isBounded ? boundPage(opened, pageBudgetMs) : request.database
  // Watchers do not receive the total: one that is known is not counted.
  const known = { total: offset + limit, kind: 'exact' } as const
  const page = await readPage(database, opened, { plan, window, known }, 'exact')
  const items = await formatRows(shape.view, page.rows, shape.context)
  const { key } = shape.view.selection
  const ids = page.rows.map((row) => toRowId(table.key, String(row[key])))
  return {
    items,
    rows: items.map((item, index) => [ids[index] ?? '', digest(jsonTextValue(item))] as const),
    warnings: plan.warnings,
  }
}

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16)
