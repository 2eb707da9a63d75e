import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Parameter } from '../db/statement.ts'
import type { Run } from '../db/transaction.ts'
import { isEveryRow } from '../table/define-table.ts'
import type { CountPolicy } from '../table/definition.ts'
import type { OpenedTable } from '../table/open-table.ts'
import {
  type CountedWindow,
  countStatement,
  estimateText,
  type PageWindow,
  pageStatement,
  type Query,
} from './page-statement.ts'
import type { Plan } from './plan.ts'

export type TotalKind = 'exact' | 'capped' | 'estimated' | 'at_least'

export interface Total {
  readonly total: number
  readonly kind: TotalKind
}

export interface Page {
  /** Rows as the view's selection has them; what follows the selection's fields in a row is the reader's own. */
  readonly rows: readonly (readonly unknown[])[]
  readonly total: Total
  /** The sort values of the last row; absent on an empty page. */
  readonly last: readonly Parameter[] | undefined
  /** Whether rows follow; absent where only the total tells it. */
  readonly more?: boolean
}

/** The page that a request asks for. */
export interface PageRequest {
  readonly plan: Plan
  readonly window: PageWindow
  /** The total that a cursor carries. */
  readonly known: Total | undefined
}

const defaultCap = 1_000

/**
 * Reads a page and its total in one round trip. A cursor brings `known`. A total that the page itself tells is never
 * counted; a page beyond the end of the rows takes a second round trip for its total. Where the total may be inexact,
 * one more row than the page shows tells whether rows follow.
 */
export async function readPage(
  database: Database,
  opened: OpenedTable & SecuredBy,
  { plan, window, known: carried }: PageRequest,
  count: StatedPolicy,
): Promise<Page> {
  const policy = restrictPolicy(opened, count)
  const known = carried !== undefined && isEnough(carried, policy) ? carried : undefined
  const cap = countCap(policy)
  // The statement of a search counts what it finds: its page needs all of these rows.
  const estimated = policy === 'estimated' && known === undefined && plan.search === undefined
  const countUpTo = known === undefined && !estimated ? cap : undefined
  const looksAhead = policy !== 'exact'
  const limit = window.limit + (looksAhead ? 1 : 0)
  const estimate = estimated ? readEstimate(database, countStatement(opened, plan)) : undefined
  const read = await awaitRows(
    readRows(database, opened, { plan, known, window: { ...window, limit, countUpTo } }),
    estimate,
  )
  const rows = looksAhead ? read.slice(0, window.limit) : read
  const more = looksAhead ? { more: read.length > window.limit } : {}
  const counted = read.at(-1)?.[opened.view.selection.fields.length + plan.order.length]
  const total =
    knownTotal(window.offset, known, rows.length, read.length < limit) ??
    (estimate === undefined
      ? await resolveTotal(counted, cap, () => readCount(database.read, opened, plan, cap))
      : ({ total: (await estimate).rows, kind: 'estimated' } as const))
  return { rows, ...more, total: boundTotal(total, window, rows.length), last: lastValues(opened, plan, rows) }
}

interface ReadRows extends Pick<PageRequest, 'plan' | 'known'> {
  readonly window: CountedWindow
}

/**
 * Reads the rows of a page. Where fewer come after a cursor than its total says, sort values may be missing in a column
 * that is declared not null: an ascending sort has these rows last, and they are looked for.
 */
export async function readRows(
  database: Pick<Database, 'read'>,
  opened: OpenedTable,
  { plan, known, window }: ReadRows,
): Promise<Page['rows']> {
  const read = (trustsNotNull: boolean) => {
    const offset = window.after === undefined ? window.offset : 0
    const { text, parameters } = pageStatement(opened, plan, { ...window, offset, trustsNotNull })
    return database.read(text, parameters)
  }
  const rows = await read(true)
  const left = known?.kind === 'exact' ? known.total - window.offset : window.limit
  if (window.after === undefined || rows.length >= Math.min(window.limit, left)) return rows
  const { key } = opened.view.table
  const mayMiss = plan.order.some(({ source, direction }) => !source.nullable && source !== key && direction === 'asc')
  return mayMiss ? read(false) : rows
}

/** Returns the sort values of the last row, which follow the selection's fields. */
export function lastValues(
  { view: { selection } }: OpenedTable,
  { order }: Plan,
  rows: Page['rows'],
): readonly Parameter[] | undefined {
  const width = selection.fields.length
  return rows.at(-1)?.slice(width, width + order.length) as readonly Parameter[] | undefined
}

/** A policy that is the same for every query of a table. */
export type StatedPolicy = Exclude<CountPolicy, 'auto' | 'none' | { readonly auto: unknown }>

/** Returns the policy of a table; `undefined` where its totals may stay open. */
export const statedPolicy = (count: CountPolicy = 'exact'): StatedPolicy | undefined =>
  count === 'auto' || count === 'none' || (typeof count === 'object' && 'auto' in count) ? undefined : count

/** Whether row-level security may hide rows that the scope does not. */
export interface SecuredBy {
  readonly config: Pick<Config, 'DATABASE_ROW_SECURITY'>
}

/**
 * The planner's statistics are of the whole table: where a scope or a policy hides rows, an estimate would tell of
 * those.
 */
export const mayEstimate = ({ scope }: OpenedTable, { config }: SecuredBy): boolean =>
  isEveryRow(scope) && config.DATABASE_ROW_SECURITY !== 'on'

const restrictPolicy = (opened: OpenedTable & SecuredBy, count: StatedPolicy): StatedPolicy =>
  count === 'estimated' && !mayEstimate(opened, opened) ? 'capped' : count

/** The total of a cursor may have been found in another way than this page's. */
const isEnough = ({ kind }: Total, policy: StatedPolicy): boolean =>
  kind === 'exact' || (kind !== 'at_least' && policy !== 'exact')

function countCap(policy: StatedPolicy): number {
  if (typeof policy === 'object') return policy.capped
  return policy === 'capped' ? defaultCap : Number.POSITIVE_INFINITY
}

/** Waits for the rows, but lets no rejection of the estimate go unheard. */
function awaitRows<T>(rows: Promise<T>, estimate: Promise<unknown> | undefined): Promise<T> {
  return estimate === undefined ? rows : Promise.all([rows, estimate]).then(([read]) => read)
}

/** Returns the exact total of the cursor, else that of a page that no row follows, else the cursor's inexact total. */
function knownTotal(offset: number, known: Total | undefined, rows: number, isLast: boolean): Total | undefined {
  if (known?.kind === 'exact') return known
  return isLast && (rows > 0 || offset === 0) ? { total: offset + rows, kind: 'exact' } : known
}

/** Limits an inexact total by the rows seen: at least those, and at most the offset of an empty page. */
function boundTotal({ total, kind }: Total, { offset }: PageWindow, rows: number): Total {
  if (kind === 'exact') return { total, kind }
  return { total: rows > 0 ? Math.max(total, offset + rows) : Math.min(total, offset), kind }
}

async function resolveTotal(value: unknown, cap: number, count: () => Promise<number>): Promise<Total> {
  const counted = value === undefined || value === null ? await count() : Number(value)
  return counted > cap ? { total: cap, kind: 'capped' } : { total: counted, kind: 'exact' }
}

/** Counts the rows of a plan inside the scope; counting stops at one more than `max`. */
export async function readCount(read: Run, opened: OpenedTable, plan: Plan, max?: number): Promise<number> {
  const { text, parameters } = countStatement(opened, plan, max)
  const [row] = await read(text, parameters)
  return Number(row?.[0] ?? 0)
}

/** The planner's expectation of a query: its rows, and its cost in the planner's own unit. */
export interface Prediction {
  readonly rows: number
  readonly cost: number
}

/** Asks the planner for what it expects of a count, without running it. */
export const readEstimate = (database: Database, count: Query): Promise<Prediction> =>
  readPrediction(database, estimateText(count), count.parameters)

type Explained = readonly [{ readonly Plan: Readonly<Record<'Plan Rows' | 'Total Cost', number>> }]

/** Runs an `explain (format json)`. */
export async function readPrediction(
  database: Database,
  ...[text, parameters]: Parameters<Database['read']>
): Promise<Prediction> {
  const [[[{ Plan: top }]]] = (await database.read(text, parameters)) as readonly [readonly [Explained]]
  return { rows: Math.round(top['Plan Rows']), cost: top['Total Cost'] }
}
