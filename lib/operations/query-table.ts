import { callerRights, plainValue } from '../auth/identity.ts'
import { allReadable } from '../errors/request-error.ts'
import { type CursorPosition, readCursor, writeCursor } from '../query/cursor.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { type Page, type PageRequest, readPage, type StatedPolicy, statedPolicy } from '../query/page.ts'
import { isCostly } from '../query/page-statement.ts'
import { type PeriodSeal, readPeriodDay } from '../query/period-seal.ts'
import { type Plan, planRows, type Warning } from '../query/plan.ts'
import type { ResolvedPeriod } from '../query/plan-extensions.ts'
import { pageOffset, readWhole } from '../query/read-value.ts'
import type { SavedViewRevision } from '../query/selection-token.ts'
import type { Aggregates } from '../rows/aggregates.ts'
import { type Bindings, loadBindings } from '../rows/bindings.ts'
import type { Facets } from '../rows/facets.ts'
import type { Groups } from '../rows/groups.ts'
import { formatRows } from '../rows/item.ts'
import { type JsonText, jsonList } from '../rows/json-text.ts'
import { count, endStage } from '../telemetry/invocation.ts'
import { loadItemShape } from './item-actions.ts'
import { isEmpty, partKeys } from './item-context.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** The response of query-table; the optional keys only where there is something to say. */
export interface QueriedPage extends Payload, Partial<Groups> {
  readonly items: JsonText
  readonly pagination: Payload
  readonly bindings: Bindings
  readonly aggregates?: Aggregates
  readonly facets?: Facets
  /** The parts of the request that took too long and are left out. */
  readonly partial?: readonly string[]
  readonly resolved?: readonly ResolvedPeriod[]
  readonly warnings?: readonly Warning[]
  /** The saved view that filled in the request. */
  readonly view?: SavedViewRevision
}

/** One page of rows: filtered, then sorted, then cut, then formatted. */
export async function queryTable(request: TableRequest): Promise<QueriedPage> {
  if (isEmpty(ownValue(request.body, 'view'))) return readQueriedPage(request)
  const asked = await (await import('./page-extensions.ts')).applyView(request)
  return { ...(await readQueriedPage(asked)), view: asked.savedView }
}

async function readQueriedPage(request: TableRequest): Promise<QueriedPage> {
  const { view, context, database, body } = request
  if (!isEmpty(ownValue(body, 'options'))) return (await import('./page-extensions.ts')).searchOptions(request)
  const extensions = await loadPlanExtensions(request, body, request.config.SERVICE_SECRET, {
    day: readContinuedDay(body),
  })
  const asked = { filters: ownValue(body, 'filters'), sorts: ownValue(body, 'sorts'), extensions }
  const parts = partKeys.some((key) => !isEmpty(ownValue(body, key))) ? await import('./page-extensions.ts') : undefined
  const stated = statedPolicy(request.table.definition.count)
  const counting = await loadCounting(body, stated)
  const readShape = await loadItemShape(request, ['selection'])
  const [plan, limit, number, shape, prepareParts, options] = allReadable([
    () => planRows(view, asked, context.timeZone),
    () => readWhole(ownValue(body, 'perPage') ?? defaultPerPage, 1, request.table.maxPerPage, 'perPage'),
    () => readWhole(ownValue(body, 'page') ?? defaultPage, 1, lastPageNumber, 'page'),
    readShape,
    () => parts?.planPageParts(request, asked),
    () => counting?.readTotalOptions(request),
  ])
  const readParts = prepareParts?.(plan)
  const warnings = [...plan.warnings, ...ignoredKeys(body), ...(await unknownParams(request))]
  const requested = readRequestedPage(request, plan, limit, number)
  const opened = { ...request, ...shape }
  const isCountOnly = options?.countOnly === true
  const bounded = isCountOnly ? opened : await boundCostlyPage(opened, requested)
  const loading = isCountOnly ? undefined : loadBindings(view, database, plan.applied, context)
  const [page, bindings, writeParts] = await Promise.all([
    counting === undefined || options === undefined
      ? readPage(bounded.database, bounded, requested, stated ?? 'exact')
      : counting.readPageAndTotal(bounded, requested, options),
    loading,
    readParts?.(loading),
  ])
  endStage(request.invocation, 'work')
  count(request.invocation, 'Rows', page.rows.length)
  return {
    items: jsonList(await formatRows(shape.view, page.rows, shape.context)),
    pagination: createPagination(request, requested, page),
    bindings: bindings ?? {},
    ...(await writeParts?.(requested, page)),
    ...(extensions !== undefined && extensions.resolved.length > 0 && { resolved: extensions.resolved }),
    ...(options !== undefined && counting?.echoRequest(request, plan, options)),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Returns the day on which the page before was read, whose periods this one continues. */
function readContinuedDay(body: TableRequest['body']): number | undefined {
  const groupBy = ownValue(body, 'group_by')
  // Without groups, nothing opens the place of a page of them.
  const groups = Array.isArray(groupBy) && groupBy.length > 0 ? ownValue(body, 'groups_page') : undefined
  return readPeriodDay(ownValue(body, 'cursor')) ?? readPeriodDay(ownValue(Object(groups), 'after'))
}

/** Keeps a page that no index serves to the budget of its table. */
async function boundCostlyPage<R extends TableRequest>(request: R, { plan, window }: PageRequest): Promise<R> {
  const { pageBudgetMs } = request.table.definition
  if (pageBudgetMs === undefined || !isCostly(plan, window)) return request
  const { boundPage } = await import('./page-extensions.ts')
  return { ...request, database: boundPage(request, pageBudgetMs) }
}

const totalKeys = ['count', 'count_only', 'request_seq']

/** Loads what answers these keys and open totals. Other requests do without it. */
async function loadCounting(body: TableRequest['body'], stated: StatedPolicy | undefined) {
  if (stated !== undefined && !totalKeys.some((key) => Object.hasOwn(body, key))) return undefined
  return import('./page-extensions.ts')
}

async function unknownParams(request: TableRequest): Promise<readonly Warning[]> {
  if (Object.keys(ownValue(request.body, 'params') ?? {}).length === 0) return []
  // Code that a cold start would otherwise read for tables without params as well.
  const { warnOfUnknownParams } = await import('../table/unknown-params.ts')
  return warnOfUnknownParams(request.view, request)
}

const defaultPage = 1
const defaultPerPage = 20
const lastPageNumber = 2 ** 31 - 1

/** The page that a request asks for, by number or by the cursor of the page before. */
interface RequestedPage extends PageRequest {
  readonly number: number
}

function readRequestedPage(request: TableRequest, plan: Plan, limit: number, number: number): RequestedPage {
  const cursor = ownValue(request.body, 'cursor') ?? undefined
  if (cursor !== undefined) return openCursor(request, plan, cursor, limit)
  const offset = pageOffset(number, limit, request.table.definition.maxOffset)
  return { plan, number, window: { limit, offset, after: undefined }, known: undefined }
}

function openCursor(request: TableRequest, plan: Plan, cursor: unknown, limit: number): RequestedPage {
  const position = readCursor(cursorSeal(request, plan), cursor)
  const { page, offset, values, total, totalKind } = position
  return { plan, number: page, window: { limit, offset, after: values }, known: { total, kind: totalKind } }
}

/**
 * Binds a cursor to its caller, their rights and the query. The total in a cursor counts the rows of those rights, so
 * no other caller may use it.
 */
function cursorSeal({ table, context: { identity, params }, config }: TableRequest, plan: Plan): PeriodSeal {
  const meaning = [table.name, identity.subject, callerRights(identity), params, plan.fingerprint()]
  return { secret: config.SERVICE_SECRET, context: JSON.stringify(meaning, plainValue), day: plan.day }
}

function createPagination(request: TableRequest, requested: RequestedPage, read: Page): Payload {
  const { plan, number: page, window } = requested
  const { rows, total, last } = read
  const { limit, offset } = window
  const end = offset + rows.length
  const more = read.more ?? (rows.length === limit && (total.kind !== 'exact' || end < total.total))
  const next: CursorPosition | undefined =
    more && last !== undefined
      ? { values: last, offset: end, page: page + 1, total: total.total, totalKind: total.kind }
      : undefined
  return {
    current_page: page,
    per_page: limit,
    total: total.total,
    last_page: Math.max(read.more === true ? page + 1 : 1, Math.ceil(total.total / limit)),
    from: rows.length === 0 ? null : offset + 1,
    to: rows.length === 0 ? null : end,
    total_kind: total.kind,
    next_cursor: next === undefined ? null : writeCursor(cursorSeal(request, plan), next),
  }
}

/** Names that responses or other services use for keys of a request, with the key. */
const meanings = [
  ['next_cursor', 'cursor'],
  ['per_page', 'perPage'],
  ['current_page', 'page'],
  ['limit', 'perPage'],
  ['pageSize', 'perPage'],
  ['filter', 'filters'],
  ['sort', 'sorts'],
] as const

/**
 * Warns of keys that say nothing under these names, such as parts of a response's `pagination` that were sent back as
 * they came.
 */
const ignoredKeys = (body: TableRequest['body']): readonly Warning[] =>
  meanings.flatMap(([field, meant]) =>
    (ownValue(body, field) ?? null) === null || Object.hasOwn(body, meant)
      ? []
      : [{ code: 'unknown_key', field, meant }],
  )
