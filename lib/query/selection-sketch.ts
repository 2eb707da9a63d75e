import { createStatement } from '../db/statement.ts'
import { versionSource } from '../rows/row-version.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { sourceText } from './compare.ts'
import { joinText, type Query, scopeText, whereText } from './page-statement.ts'
import type { Plan } from './plan.ts'

/** The rows of a selection at one moment. */
export interface SelectionState {
  readonly rows: number
  /** A digest of the keys and versions of all rows, in any order; absent for more rows than are sketched. */
  readonly digest?: string
  /** Tells which rows of two selections differ, as long as they are few. */
  readonly sketch?: Sketch
}

/** Rows by the cells that their hashes fall into. */
export type Sketch = ReadonlyMap<number, Cell>

/** The number of rows in a cell, modulo 65,536, and all of their marks joined by exclusive or. */
interface Cell {
  readonly count: number
  readonly marks: bigint
}

/** The most rows of which a selection keeps more than their number. */
export const maxSketchedRows = 100_000

/** Every row is in one cell of each of three thirds. */
const cellsOfThird = 96

/**
 * A mark holds the hash of a key, and the hash of key and version. A remainder tells a cell of one row from a cell of
 * several.
 */
const keyBits = 25n
const rowBits = 26n
const checkBits = 12n
const checkDivisor = 4_093n

/** Writes one statement that reads the state of the selected rows; without versions only their keys count. */
export function selectionStateStatement(opened: OpenedTable, plan: Plan, hasVersions: boolean): Query {
  const statement = createStatement()
  const { table } = opened.view
  const conditions = [...scopeText(statement, opened), ...plan.conditions.map((condition) => condition(statement))]
  const rows = `from ${table.text}${joinText(plan.filtered)}${whereText(conditions)}`
  const version = hasVersions ? `coalesce(${versionSource(table).expression(statement)}, '')` : "''"
  const key = sourceText(table.key, statement)
  const mark = `(a << ${rowBits} | b)`
  const text = `with picked as materialized (
      select ${key} as k, ${key} || ' ' || ${version} as v ${rows} limit ${maxSketchedRows + 1}),
    counted as materialized (select count(*) as n from picked),
    hashed as (select hashtextextended(k, 0) & ${(1n << keyBits) - 1n} as a, hashtextextended(v, 0) & ${(1n << rowBits) - 1n} as b,
      hashtextextended(v, 1) as c from picked where (select n from counted) <= ${maxSketchedRows}),
    cells as (select place, count(*) % 65536 as n, bit_xor((${mark} << ${checkBits}) + ${mark} % ${checkDivisor}) as marks
      from hashed cross join lateral (values (b % ${cellsOfThird}), (${cellsOfThird} + b / ${cellsOfThird} % ${cellsOfThird}),
        (${2 * cellsOfThird} + a % ${cellsOfThird})) at (place) group by place)
    select case when n > ${maxSketchedRows} then (select count(*) ${rows}) else n end, n > ${maxSketchedRows},
      (select bit_xor(c)::text from hashed), (select json_agg(json_build_array(place, n, marks::text)) from cells) from counted`
  return { text, parameters: statement.parameters }
}

/** Reads the row that the statement returns. */
export function readSelectionState(row: readonly unknown[] | undefined): SelectionState {
  const [rows, isLarge, digest, cells] = row ?? []
  if (isLarge === true) return { rows: Number(rows) }
  const entries = (cells ?? []) as readonly (readonly [number, number, string])[]
  const sketch = new Map(entries.map(([place, count, marks]) => [place, { count, marks: BigInt(marks) }] as const))
  return { rows: Number(rows), digest: String(digest ?? ''), sketch }
}

/** How many rows have come, gone and changed between two states. */
export interface MovedRows {
  readonly entered: number
  readonly left: number
  readonly changed: number
}

/**
 * Counts the rows that differ between two sketches; `undefined` if there are too many to tell apart: about 200 that
 * entered or left, or 100 that changed.
 */
export function compareSketches(before: Sketch, now: Sketch): MovedRows | undefined {
  const cells = subtract(now, before)
  const entered = new Set<bigint>()
  const left = new Set<bigint>()
  const waiting = [...cells.keys()]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const found = findSingle(cells, place)
    if (found === undefined) continue
    const { mark, count } = found
    const rows = count === 1 ? entered : left
    // A mark that is met twice was never that of one row.
    if (rows.has(mark)) return undefined
    rows.add(mark)
    for (const other of listPlaces(mark)) {
      const cell = cells.get(other) ?? { count: 0, marks: 0n }
      cells.set(other, { count: (cell.count - count) & 0xffff, marks: cell.marks ^ mark })
      waiting.push(other)
    }
  }
  if ([...cells.values()].some(({ count, marks }) => count !== 0 || marks !== 0n)) return undefined
  const keys = new Set([...left].map(readKey))
  const changed = [...entered].filter((mark) => keys.has(readKey(mark))).length
  return { entered: entered.size - changed, left: left.size - changed, changed }
}

function subtract(now: Sketch, before: Sketch): Map<number, Cell> {
  const empty: Cell = { count: 0, marks: 0n }
  const places = new Set([...now.keys(), ...before.keys()])
  return new Map(
    [...places].map((place) => {
      const left = now.get(place) ?? empty
      const right = before.get(place) ?? empty
      return [place, { count: (left.count - right.count) & 0xffff, marks: left.marks ^ right.marks }]
    }),
  )
}

/** Returns the mark of a cell that differs by one row only. */
function findSingle(cells: ReadonlyMap<number, Cell>, place: number) {
  const { count = 0, marks = 0n } = cells.get(place) ?? {}
  if ((count !== 1 && count !== 0xffff) || marks < 0n) return undefined
  const row = marks >> checkBits
  const isWhole = (marks & ((1n << checkBits) - 1n)) === row % checkDivisor && listPlaces(marks).includes(place)
  return isWhole ? { mark: marks, count: count === 1 ? (1 as const) : (-1 as const) } : undefined
}

function listPlaces(mark: bigint): readonly number[] {
  const row = Number((mark >> checkBits) & ((1n << rowBits) - 1n))
  const third = Math.floor(row / cellsOfThird)
  return [
    row % cellsOfThird,
    cellsOfThird + (third % cellsOfThird),
    2 * cellsOfThird + Number(readKey(mark) % BigInt(cellsOfThird)),
  ]
}

const readKey = (mark: bigint): bigint => mark >> (checkBits + rowBits)
