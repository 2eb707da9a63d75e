import { bind, createStatement, type Parameter, renderSql, type Statement } from '../db/statement.ts'
import { isEveryRow } from '../table/define-table.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { Join, Source } from '../table/source.ts'
import type { Field, TableView } from '../table/view.ts'
import { isPadded, keyInList } from './compare.ts'
import { orderText, rangesAfter } from './order.ts'
import type { Plan } from './plan.ts'

/** The window of a page on the planned rows, found by a page number or by a cursor. */
export interface PageWindow {
  readonly limit: number
  /** Rows before the page. */
  readonly offset: number
  /** The sort values of the row before the page. With a cursor the statement skips no rows. */
  readonly after: readonly Parameter[] | undefined
}

export interface CountedWindow extends PageWindow {
  /** Rows after which counting stops; `undefined` reads no total, `Infinity` counts them all. */
  readonly countUpTo: number | undefined
  /** `false` if sort values may be missing in columns that are declared not null, as those of a view. */
  readonly trustsNotNull?: boolean
}

export interface Query {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** A table or a relation may well be called "page", and would be hidden by this name or hide it. */
const page = '"__page"'

/** The keys of every row that a search selects, where they are counted as well. */
const found = '"__found"'

/**
 * The page size that most requests have, alone and with one row ahead. Where a statement has no values, it is written
 * out, and Postgres keeps one plan. Beside values a bound limit makes Postgres plan each time: a kept plan would walk
 * the whole table in its order for a value that few rows have.
 */
const usualLimits: ReadonlySet<number> = new Set([20, 21])

/** Skipped rows from which it pays to walk the keys alone and to join the page's rows afterwards. */
const lateJoinFrom = 500

/** Without an index, each range may read the whole table. */
const maxRanges = 4

/** Whether an index of the table can hold the order. */
const isIndexable = ({ order }: Plan): boolean =>
  order.every(({ source: { join, kind } }) => join === undefined && kind !== 'unknown')

/** Whether a page skips many rows, or sorts by values that no index of the table holds. */
export const isCostly = (plan: Plan, { offset, after }: PageWindow): boolean =>
  (after === undefined && offset >= lateJoinFrom) || !isIndexable(plan)

/**
 * One statement for a page. Its rows hold the selection's fields, then the sort values, then (where `countUpTo` is set)
 * the total, which is null whenever a short page tells it. The table is read through `scope` in every part of it.
 */
export function pageStatement(opened: OpenedTable, plan: Plan, window: CountedWindow): Query {
  const statement = createStatement()
  const {
    view,
    context: { timeZone },
  } = opened
  const conditions = [...scopeText(statement, opened), ...plan.conditions.map((condition) => condition(statement))]
  const most = plan.search === undefined && isIndexable(plan) ? maxRanges : 1
  const ranges =
    window.after === undefined ? [] : rangesAfter(statement, plan.order, window.after, most, window.trustsNotNull)
  const hasValues = statement.parameters.length > 0
  const limit = usualLimits.has(window.limit) && !hasValues ? String(window.limit) : bind(statement, window.limit)
  const skip = window.offset === 0 ? '' : ` offset ${bind(statement, window.offset)}`
  const isLate = ranges.length > 1 || window.offset >= lateJoinFrom || plan.search !== undefined
  const shape = [timeZone, limit, window.countUpTo, isLate, skip, orderShape(plan), ...ranges, '']
  const text = rememberText(view, statement, [...shape, ...conditions].join('\u0000'), () => {
    const isFound = plan.search !== undefined && ranges.length === 0 && window.countUpTo !== undefined
    const counted = isFound ? `from ${found}` : rowsText(view, plan, conditions)
    const total = totalText(counted, { limit, countUpTo: window.countUpTo })
    const wheres = (ranges.length > 1 ? ranges.map((range) => [range]) : [ranges]).map((own) =>
      whereText([...conditions, ...own]),
    )
    const parts = { statement, view, plan, timeZone, limit, skip, wheres, isFound, total }
    if (isLate) return lateJoined(parts)
    return total === undefined ? rowsOnly(parts) : joinedAtOnce(parts)
  })
  return { text, parameters: statement.parameters }
}

const orderShape = ({ order }: Plan): string =>
  order.map(({ source, direction, nulls = '' }) => `${direction}${nulls} ${source.key}`).join()

interface PageParts {
  readonly statement: Statement
  readonly view: TableView
  readonly plan: Plan
  readonly timeZone: string
  /** The number of rows, or the name of its parameter. */
  readonly limit: string
  /** The OFFSET clause, if any. */
  readonly skip: string
  /** The WHERE clauses whose rows follow each other; only a late join may have several. */
  readonly wheres: readonly string[]
  /** Whether the keys of a search are found once, for the page and for its total. */
  readonly isFound: boolean
  readonly total: string | undefined
}

const rowsOnly = (parts: PageParts): string => `select ${pageColumns(parts)} ${fromText(parts)}`

const joinedAtOnce = (parts: PageParts): string =>
  `with ${page} as materialized (select ${pageColumns(parts)} ${fromText(parts)}) ` +
  `select ${page}.*, ${parts.total} as total from ${page} order by ${outerOrder(parts.plan)}`

function pageColumns({ statement, view, plan, timeZone }: PageParts): string {
  const fields = view.selection.fields.map((field, index) => `${fieldText(statement, field, timeZone)} as c${index}`)
  return [...fields, ...sortColumns(statement, plan)].join(', ')
}

function fromText(parts: PageParts): string {
  const { view, plan, wheres } = parts
  const used = [
    ...plan.filtered,
    ...plan.order.map(({ source }) => source),
    ...view.selection.fields.map(({ source }) => source),
  ]
  return `from ${view.table.text}${joinText(used)}${wheres.join('')} ${windowText(parts)}`
}

/**
 * Walks the narrowest index to the page's keys, then reads only those rows in full. Several parts are read one by one,
 * because each has a limit, and reading ends with the last row of the page.
 */
function lateJoined(parts: PageParts): string {
  const { statement, view, plan, timeZone, limit, skip, wheres, isFound, total } = parts
  const { table, selection } = view
  const key = table.key.expression(statement)
  const walked = joinText([...plan.filtered, ...plan.order.map(({ source }) => source)])
  const walk = `select ${[`${key} as k`, ...sortColumns(statement, plan)].join(', ')} from ${table.text}${walked}`
  const walks = wheres.map((where) => `${walk}${where} ${windowText(parts)}`)
  const all = walk + wheres.join('')
  const keys =
    plan.search === undefined
      ? `(${walks.join(') union all (')})${walks.length > 1 ? ` limit ${limit}` : ''}`
      : `${isFound ? sortedKeys(found, plan) : searchedKeys(all, plan)} limit ${limit}${skip}`
  const fields = selection.fields.map((field, index) => `${fieldText(statement, field, timeZone)} as c${index}`)
  const sorts = plan.order.map((_, index) => `${page}.s${index}`)
  return (
    `with ${isFound ? `${found} as materialized (${all}), ` : ''}${page} as materialized (${keys}) ` +
    `select ${[...fields, ...sorts, ...(total === undefined ? [] : [`${total} as total`])].join(', ')} ` +
    `from ${page} join ${table.text} on ${key} = ${page}.k${joinText(selection.fields.map(({ source }) => source))} ` +
    `order by ${outerOrder(plan)}`
  )
}

/**
 * Sorts the keys that a search selects, once all are found. Postgres cannot know how few they are: for the first page
 * it would walk the rows in their order until enough match, and read the whole table for a word that does not occur.
 */
export const searchedKeys = (walk: string, plan: Plan): string => sortedKeys(`(${walk} offset 0) found`, plan)

const sortedKeys = (keys: string, { order }: Plan): string =>
  `select * from ${keys} order by ${order.map((sort, index) => orderText(`s${index}`, sort)).join(', ')}`

export const sortColumns = (statement: Statement, plan: Plan): readonly string[] =>
  plan.order.map(({ source }, index) => `${source.expression(statement)} as s${index}`)

function windowText({ statement, plan, limit, skip }: PageParts): string {
  const order = plan.order.map((sort) => orderText(sort.source.expression(statement), sort)).join(', ')
  return `order by ${order} limit ${limit}${skip}`
}

const outerOrder = (plan: Plan): string =>
  plan.order.map((sort, index) => orderText(`${page}.s${index}`, sort)).join(', ')

/** Returns the SQL of the total. It counts only if the page is full; an empty page has no row to hold a total. */
function totalText(
  rows: string,
  { limit, countUpTo }: { readonly limit: string; readonly countUpTo: number | undefined },
): string | undefined {
  if (countUpTo === undefined) return undefined
  return `case when (select count(*) from ${page}) < ${limit} then null else (${countText(rows, countUpTo)}) end`
}

/** Returns the FROM and WHERE clauses of the planned rows. */
const rowsText = (view: TableView, plan: Plan, conditions: readonly string[]): string =>
  `from ${view.table.text}${joinText(plan.filtered)}${whereText(conditions)}`

const countText = (rows: string, countUpTo: number): string =>
  Number.isFinite(countUpTo)
    ? `select count(*) from (select ${rows} limit ${countUpTo + 1}) counted`
    : `select count(*) ${rows}`

/** Counts the planned rows inside the scope, up to one more than `countUpTo`; `Infinity` counts all of them. */
export function countStatement(opened: OpenedTable, plan: Plan, countUpTo = Number.POSITIVE_INFINITY): Query {
  const statement = createStatement()
  const { view } = opened
  const conditions = [...scopeText(statement, opened), ...plan.conditions.map((condition) => condition(statement))]
  const text = countText(rowsText(view, plan, conditions), countUpTo)
  return { text, parameters: statement.parameters }
}

/** Returns the text that asks the planner for its estimate of a count of all rows; the parameters stay the same. */
export const estimateText = ({ text }: Query): string =>
  `explain (format json) ${text.replace('select count(*)', 'select 1')}`

/** The rows with these keys, inside the scope, in no order. */
export function rowsStatement(opened: OpenedTable, keys: readonly string[]): Query {
  const statement = createStatement()
  const {
    view,
    context: { timeZone },
  } = opened
  const { table, selection } = view
  const where = whereText([...scopeText(statement, opened), keyInList(table.key, keys)(statement)])
  const text = rememberText(view, statement, `rows\u0000${timeZone}${where}`, () => {
    const fields = selection.fields.map((field, index) => `${fieldText(statement, field, timeZone)} as c${index}`)
    return `select ${fields.join(', ')} from ${table.text}${joinText(selection.fields.map(({ source }) => source))}${where}`
  })
  return { text, parameters: statement.parameters }
}

export const scopeText = (statement: Statement, { scope }: OpenedTable): readonly string[] =>
  isEveryRow(scope) ? [] : [`(${renderSql(statement, scope)})`]

export const whereText = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`

export function fieldText(statement: Statement, { source, datePattern }: Field, timeZone: string): string {
  const expression = source.expression(statement)
  // JSON numbers of more than 53 bits would lose digits on the way.
  if (source.kind === 'array')
    return `to_json(${expression}${/^(bigint|numeric|char)/.test(source.sqlType) ? '::text[]' : ''})`
  if (isPadded(source)) return `${expression}::text`
  if (datePattern === undefined) return expression
  return `to_char(${source.isInstant ? `${expression} at time zone '${timeZone}'` : expression}, '${datePattern}')`
}

/** The joins that these sources need, each once and parents first. */
export function joinText(sources: readonly Source[]): string {
  const joins = new Set<Join>()
  const add = (join: Join | undefined): void => {
    if (join === undefined || joins.has(join)) return
    add(join.parent)
    joins.add(join)
  }
  for (const { join } of sources) add(join)
  return [...joins].map(({ text }) => ` ${text}`).join('')
}

/** Clients choose filters, sorts and page sizes, and so the number of texts. */
const maxTexts = 100
const maxShapeLength = 2_000

const known = new WeakMap<TableView, Map<string, string>>()

/**
 * Returns the text of `write`, remembered for an equal `shape` of the same view: it is not built again, and the driver
 * has hashed it before. A `write` that adds parameters to the statement is called each time.
 */
export function rememberText(view: TableView, statement: Statement, shape: string, write: () => string): string {
  const ofView = known.get(view) ?? new Map<string, string>()
  const remembered = ofView.get(shape)
  if (remembered !== undefined) return remembered
  const bound = statement.parameters.length
  const text = write()
  if (statement.parameters.length > bound || shape.length > maxShapeLength) return text
  if (ofView.size >= maxTexts) ofView.clear()
  known.set(view, ofView.set(shape, text))
  return text
}
