import type { Database } from '../db/database.ts'
import type { Parameter } from '../db/statement.ts'
import { isEveryRow } from '../table/define-table.ts'
import type { CountPolicy } from '../table/definition.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { countStatement, estimateStatement, type PageWindow, pageStatement } from './page-statement.ts'
import type { Plan } from './plan.ts'

export type TotalKind = 'exact' | 'capped' | 'estimated'

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
}

const defaultCap = 1_000

/**
 * Reads a page and its total in one round trip. A cursor brings `known`. A total that the page itself tells is never counted; a page beyond the end
 * of the rows takes a second round trip for its total.
 */
export async function readPage(
  database: Database,
  opened: OpenedTable,
  plan: Plan,
  window: PageWindow,
  known: Total | undefined,
): Promise<Page> {
  const policy = findCountPolicy(opened)
  const cap = countCap(policy)
  const estimated = policy === 'estimated' && known === undefined
  const countUpTo = known === undefined && !estimated ? cap : undefined
  const offset = window.after === undefined ? window.offset : 0
  const query = pageStatement(opened, plan, { ...window, offset, countUpTo })
  const estimate = estimated ? readEstimate(database, opened, plan) : undefined
  const rows = await awaitRows(database.read(query.text, query.parameters), estimate)
  const last = rows.at(-1)
  const width = opened.view.selection.fields.length
  const values = last?.slice(width, width + plan.order.length) as readonly Parameter[] | undefined
  const total =
    knownTotal(window, known, rows.length) ??
    (estimate === undefined
      ? await resolveTotal(last?.[width + plan.order.length], cap, () => readCount(database, opened, plan, cap))
      : ({ total: await estimate, kind: 'estimated' } as const))
  return { rows, total: boundTotal(total, window, rows.length), last: values }
}

/** The planner's statistics are of the whole table, so inside a scope an estimate would tell of rows outside it. */
function findCountPolicy({ view, scope }: OpenedTable): CountPolicy {
  const { count = 'exact' } = view.table.definition
  return count === 'estimated' && !isEveryRow(scope) ? 'capped' : count
}

const countCap = (policy: CountPolicy): number =>
  policy === 'capped' ? defaultCap : typeof policy === 'object' ? policy.capped : Number.POSITIVE_INFINITY

/** Waits for the rows, but lets no rejection of the estimate go unheard. */
function awaitRows<T>(rows: Promise<T>, estimate: Promise<number> | undefined): Promise<T> {
  return estimate === undefined ? rows : Promise.all([rows, estimate]).then(([read]) => read)
}

/** A page that is not full ends the rows; an empty first page means that there are none; a cursor brings a total along. */
function knownTotal({ offset, limit }: PageWindow, known: Total | undefined, rows: number): Total | undefined {
  if (known?.kind === 'exact') return known
  return rows < limit && (rows > 0 || offset === 0) ? { total: offset + rows, kind: 'exact' } : known
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

async function readCount(database: Database, opened: OpenedTable, plan: Plan, cap: number): Promise<number> {
  const query = countStatement(opened, plan, cap)
  const [row] = await database.read(query.text, query.parameters)
  return Number(row?.[0] ?? 0)
}

async function readEstimate(database: Database, opened: OpenedTable, plan: Plan): Promise<number> {
  const query = estimateStatement(opened, plan)
  const [row] = await database.read(query.text, query.parameters)
  const explained = typeof row?.[0] === 'string' ? JSON.parse(row[0]) : row?.[0]
  return Math.round(explained?.[0]?.Plan?.['Plan Rows'] ?? 0)
}
