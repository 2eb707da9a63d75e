import { hash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { AutoCount } from '../table/definition.ts'
import type { OpenedTable } from '../table/open-table.ts'
import {
  lastValues,
  mayEstimate,
  type Page,
  type PageRequest,
  type Prediction,
  readCount,
  readEstimate,
  readRows,
  type Total,
} from './page.ts'
import { countStatement } from './page-statement.ts'
import type { Plan } from './plan.ts'
import { describeSelection } from './selection-key.ts'

const defaultAutoCount = { budgetMs: 150, cap: 10_000, rememberSeconds: 10 } as const satisfies AutoCount

/**
 * The planner's cost that is taken for a millisecond. Data in memory is read two to four times as fast; data on disk
 * about as fast, though its first reading cannot be predicted.
 */
const costPerMs = 100

/** A table as `readOpenPage` reads it. */
interface OpenPageSource {
  readonly database: Database
  readonly opened: OpenedTable
  readonly config: Pick<Config, 'DATABASE_ROW_SECURITY' | 'DATABASE_URL'>
}

/**
 * Reads a page whose total may stay open: with the limits of `auto`, or without any counting. One more row than the
 * page shows tells whether rows follow.
 */
export async function readOpenPage(source: OpenPageSource, request: PageRequest, auto?: AutoCount): Promise<Page> {
  const { opened, database } = source
  const { plan, window } = request
  // A search finds all keys before it sorts them, so that the statement of its page counts them at no cost.
  const isFound = auto !== undefined && plan.search !== undefined && window.after === undefined
  const countUpTo = isFound ? Number.POSITIVE_INFINITY : undefined
  const ahead = { plan, known: request.known, window: { ...window, limit: window.limit + 1, countUpTo } }
  const begunAt = performance.now()
  let ms = 0
  const reading = readRows(database, opened, ahead).finally(() => (ms = performance.now() - begunAt))
  const finder =
    auto === undefined || isFound ? undefined : createTotalFinder(source, plan, { ...defaultAutoCount, ...auto })
  const known = findKnown(request, finder)
  // Sent in the tick of the page, and behind it: on one connection the page is answered first.
  const [read] = await Promise.all([reading, known === undefined ? finder?.begin() : undefined])
  const rows = read.slice(0, window.limit)
  const more = read.length > window.limit
  const seen: SeenRows = { count: rows.length, end: window.offset + rows.length, more, ms }
  const find = () => (isFound ? readFoundTotal(source, plan, read) : finder?.finish(seen))
  const total = totalOnPage(seen) ?? known ?? (await find()) ?? atLeast(seen)
  return { rows, more, total: fitToRows(total, seen), last: lastValues(opened, plan, rows) }
}

/** The rows of a query that a page shows. */
interface SeenRows {
  readonly count: number
  /** Rows up to the end of the page. */
  readonly end: number
  /** Whether rows follow. */
  readonly more: boolean
  /** How long the page took. */
  readonly ms: number
}

/** An empty page beyond the end of the rows has seen none of them. */
const atLeast = ({ count, end }: SeenRows): Total => ({ total: count === 0 ? 0 : end, kind: 'at_least' })

/**
 * Returns the total of the cursor. If nothing was counted for the cursor and this page may count, returns the
 * remembered total instead.
 */
function findKnown({ known }: PageRequest, finder: TotalFinder | undefined): Total | undefined {
  if (finder === undefined) return known
  return known === undefined || known.kind === 'at_least' ? finder.recall() : known
}

/** Returns the total if the page shows it: no row follows. */
const totalOnPage = ({ count, end, more }: SeenRows): Total | undefined =>
  !more && (count > 0 || end === 0) ? { total: end, kind: 'exact' } : undefined

/** Returns the total behind the sort values of a full page. A page beyond the end has no row to hold it. */
async function readFoundTotal({ database, opened }: OpenPageSource, plan: Plan, rows: Page['rows']): Promise<Total> {
  const counted = rows.at(-1)?.[opened.view.selection.fields.length + plan.order.length]
  return { total: Number(counted ?? (await readCount(database.read, opened, plan))), kind: 'exact' }
}

/** Corrects a total that was estimated, or is older than the page, by the rows that the page shows. */
function fitToRows(known: Total, seen: SeenRows): Total {
  const { total, kind } = known
  const { count, end, more } = seen
  if (kind === 'exact') return more && total <= end ? atLeast(seen) : known
  if (count === 0) return { total: Math.min(total, end), kind }
  return { total: Math.max(total, kind === 'estimated' && more ? end + 1 : end), kind }
}

interface TotalFinder {
  readonly recall: () => Total | undefined
  /** Sends what finds the total in the round trip of the page. */
  readonly begin: () => Promise<void>
  /** Returns the total for a page that does not tell it, after `begin`. */
  readonly finish: (seen: SeenRows) => Promise<Total>
}

/**
 * Finds totals within a budget. If the caller may see every row, the planner's cost decides whether a new statement is
 * counted. Inside a scope the count runs and is stopped at the budget: the planner's costs would reveal rows outside.
 */
function createTotalFinder(source: OpenPageSource, plan: Plan, limits: Required<AutoCount>): TotalFinder {
  const { database, opened, config } = source
  const memory = findTotalMemory(config)
  const { count, memoryKey: key, fitKey } = describeSelection(opened, plan, config)
  const isEstimable = mayEstimate(opened, source)
  let prediction: Prediction | undefined
  let counted: number | undefined
  let wasStopped = memory.findFit(fitKey) === false

  const countAll = async (): Promise<void> => {
    counted = await countWithin(source, limits.budgetMs, count)
    wasStopped = counted === undefined
    memory.rememberFit(fitKey, !wasStopped)
  }
  const predict = async (): Promise<Prediction> => {
    prediction ??= await readEstimate(database, count)
    return prediction
  }

  return {
    recall: () => memory.findTotal(key),
    begin: async () => {
      if (memory.findFit(fitKey) === true || !(isEstimable || wasStopped)) await countAll()
      else if (isEstimable) await predict()
    },
    finish: async (seen) => {
      const fits = prediction !== undefined && prediction.cost <= limits.budgetMs * costPerMs
      if (fits && !wasStopped) await countAll()
      if (counted !== undefined) return { total: counted, kind: 'exact' }
      const total = isEstimable
        ? ({ total: (await predict()).rows, kind: 'estimated' } as const)
        : await countToCap(source, plan, limits.cap, seen)
      memory.rememberTotal(key, total, limits.rememberSeconds)
      return total
    },
  }
}

async function countWithin(
  { database }: OpenPageSource,
  budgetMs: number,
  { text, parameters }: ReturnType<typeof countStatement>,
): Promise<number | undefined> {
  const rows = await database.readWithin(budgetMs, text, parameters)
  return rows === undefined ? undefined : Number(rows[0]?.[0] ?? 0)
}

/**
 * The part of the page's own time that a count up to the cap may add, and the least for which asking once more pays.
 */
const capShare = 0.1
const minCapMs = 1

/**
 * Counts as far as a tenth of the page's time goes. Where it does not reach beyond the page, the page's own rows are
 * the total.
 */
async function countToCap(source: OpenPageSource, plan: Plan, cap: number, seen: SeenRows): Promise<Total> {
  const known: Total = seen.more ? { total: seen.end, kind: 'capped' } : atLeast(seen)
  const allowedMs = seen.ms * capShare
  if (allowedMs < minCapMs || cap <= seen.end) return known
  const counted = await countWithin(source, Math.ceil(allowedMs), countStatement(source.opened, plan, cap))
  if (counted === undefined) return known
  return counted <= cap ? { total: counted, kind: 'exact' } : { total: cap, kind: 'capped' }
}

/** Counts every selected row and reads none. The total is remembered for the pages with `auto` that follow. */
export async function countPage({ database, opened, config }: OpenPageSource, plan: Plan): Promise<Page> {
  const { count, memoryKey: key } = describeSelection(opened, plan, config)
  const [row] = await database.read(count.text, count.parameters)
  const total = { total: Number(row?.[0] ?? 0), kind: 'exact' } as const
  const stated = opened.view.table.definition.count
  const limits = { ...defaultAutoCount, ...(typeof stated === 'object' && 'auto' in stated && stated.auto) }
  findTotalMemory(config).rememberTotal(key, total, limits.rememberSeconds)
  return { rows: [], total, last: undefined, more: false }
}

/** Totals that one process has learnt. Nothing of it is shared between processes or outlives them. */
interface TotalMemory {
  /** Returns the total that was remembered for equal rows and rights, until its time is over. */
  readonly findTotal: (key: string) => Total | undefined
  readonly rememberTotal: (key: string, total: Total, seconds: number) => void
  /** Whether the last count of this key fitted into its budget; `undefined` if none was tried lately. */
  readonly findFit: (key: string) => boolean | undefined
  readonly rememberFit: (key: string, fits: boolean) => void
}

const maxEntries = 1_000
/** A statement whose count was stopped is not tried again for this long. */
const stoppedMs = 60_000

interface TimedEntry<Value> {
  readonly value: Value
  readonly storedAt: number
  readonly maxMs: number
}

/** Keys hold the values of filters, which a client may make as long as a body: only their digests are kept. */
const shorten = (key: string): string => hash('sha256', key, 'base64')

function createTimedMap<Value>() {
  const entries = new Map<string, TimedEntry<Value>>()
  return {
    find(key: string): Value | undefined {
      const entry = entries.get(shorten(key))
      // The other clock stands still while a function is frozen. Absolute, because this one may be set back.
      return entry && Math.abs(Date.now() - entry.storedAt) < entry.maxMs ? entry.value : undefined
    },
    set(key: string, value: Value, maxMs: number): void {
      if (entries.size >= maxEntries) entries.clear()
      entries.set(shorten(key), { value, storedAt: Date.now(), maxMs })
    },
  }
}

function createTotalMemory(): TotalMemory {
  const totals = createTimedMap<Total>()
  const fits = createTimedMap<boolean>()
  return {
    findTotal: totals.find,
    rememberTotal: (key, total, seconds) => {
      if (seconds > 0) totals.set(key, total, seconds * 1_000)
    },
    findFit: fits.find,
    rememberFit: (key, fit) => fits.set(key, fit, fit ? Number.POSITIVE_INFINITY : stoppedMs),
  }
}

const memories = new WeakMap<object, TotalMemory>()

/** Returns the memory of a service. Two services of one process, on two databases, never share one. */
function findTotalMemory(config: Pick<Config, 'DATABASE_URL'>): TotalMemory {
  const memory = memories.get(config) ?? createTotalMemory()
  memories.set(config, memory)
  return memory
}
