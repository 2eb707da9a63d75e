import { is, SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { RequestError } from '../errors/request-error.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { EditableColumn } from '../table/editable-columns.ts'
import { listColumns, type Source } from '../table/source.ts'
import { integerRange, kindOfType } from '../table/value-kind.ts'
import type { TableView } from '../table/view.ts'
import { createValueError, findValueRefusal, isTaken, keptRow, stillUsed } from './constraint-fault.ts'
import { keyAsText, keyAttribute, keyCondition, keyValue } from './key-condition.ts'
import type { Session } from './run-row-action.ts'

/** One value for the cells of a column. It may read `__given`, if that is given. */
export interface CellWrite {
  readonly column: EditableColumn
  readonly value: SQL
}

/** A cell as it was and as it is, as texts that Postgres writes and reads. */
export interface CellChange {
  readonly before: string | null
  readonly after: string | null
}

/** The cells of one row that have changed, by the keys of their columns. */
export interface RowChange {
  readonly key: string
  readonly cells: Readonly<Record<string, CellChange>>
}

interface WriteOutcome {
  /** Only rows in which a cell has another value than before. */
  readonly changes: readonly RowChange[]
  /** The rows that Postgres refused, by the texts of their keys. */
  readonly refused: ReadonlyMap<string, RequestError>
}

/** The table of the rows. With a `scope`, rows outside of it are refused. */
interface WrittenTable {
  readonly view: TableView
  readonly scope?: SQL
}

/** Values of its own for each row: by the text of its key as texts that Postgres reads, by the keys of columns. */
export type GivenValues = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/**
 * Writes the same values into locked rows by one statement, or the values of `given` for each row. If Postgres refuses
 * a value, writes the rows one by one, so that only those are refused that cannot have it.
 */
export function writeCells(
  db: Session,
  table: WrittenTable,
  writes: readonly CellWrite[],
  keys: readonly string[],
  given?: GivenValues,
): Promise<WriteOutcome> {
  const write = (some: readonly string[]) => writeAlike(db, table, writes, some, given)
  // Rows that all get the same values cannot pass one on.
  return given === undefined ? write(keys) : writeInTurn(keys, write)
}

async function writeAlike(
  db: Session,
  table: WrittenTable,
  writes: readonly CellWrite[],
  keys: readonly string[],
  given?: GivenValues,
): Promise<WriteOutcome> {
  try {
    return { changes: await db.transaction((nested) => update(nested, table, writes, keys, given)), refused: new Map() }
  } catch (error) {
    const refusal = findValueRefusal(error)
    if (refusal === undefined) throw error
    const [key] = keys
    if (key !== undefined && keys.length === 1) {
      const written = writes.map(({ column }) => column)
      return { changes: [], refused: new Map([[key, await createValueError(db, table.view, refusal, written)]]) }
    }
    const outcomes: WriteOutcome[] = []
    for (const one of keys) outcomes.push(await writeAlike(db, table, writes, [one], given))
    return joinOutcomes(outcomes)
  }
}

const joinOutcomes = (outcomes: readonly WriteOutcome[]): WriteOutcome => ({
  changes: outcomes.flatMap(({ changes }) => changes),
  refused: new Map(outcomes.flatMap(({ refused }) => [...refused])),
})

/** Bounds the statements for rows that pass many values on in no order. */
const maxRounds = 20

/**
 * Writes rows, and those again whose values other rows had, for as long as a round changes a row. Every second round
 * goes backwards, so that a column of values that all move by one row takes two.
 */
async function writeInTurn(
  keys: readonly string[],
  write: (keys: readonly string[]) => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  let outcome = await write(keys)
  let changed = outcome.changes.length
  for (let round = 1; changed > 0 && round < maxRounds; round++) {
    const { changes, refused } = outcome
    const taken = keys.filter((key) => isTaken(refused.get(key)))
    if (taken.length === 0) break
    const again = await write(round % 2 === 1 ? taken.toReversed() : taken)
    changed = again.changes.length
    const others = [...refused].filter(([, error]) => !isTaken(error))
    outcome = joinOutcomes([{ changes, refused: new Map(others) }, again])
  }
  return outcome
}

/** Updates the rows in which a cell would change, and returns these cells. */
async function update(
  db: Session,
  { view: { table }, scope = sql`true` }: WrittenTable,
  writes: readonly CellWrite[],
  keys: readonly string[],
  given?: GivenValues,
): Promise<readonly RowChange[]> {
  const { from } = table.definition
  const column = keyAttribute(table)
  const assignments = [
    ...writes.map(({ column: { attribute }, value }) => sql`${sql.identifier(attribute.name)} = ${value}`),
    ...ownAssignments(table.definition, writes),
  ]
  const own = given && sql`, __given`
  const ofRow = given && sql` and __given.row_key = ${keyAsText(table)}`
  const values =
    given && sql`__given (row_key, cells) as (select * from jsonb_each((${JSON.stringify(given)}::text)::jsonb)),`
  const rows = keyCondition(table, keys)
  const update = sql`
    update ${from} set ${list(assignments)}
    from (select ${list([sql`${column} as row_key`, ...cellsBefore(writes)])} from ${from} where ${rows} and (${scope})) __was${own}
    where ${column} = __was.row_key${ofRow} and ${isAnyDifferent(writes)}`
  const all = sql`${from}${own} where ${rows}${ofRow}`
  const changes = readChanges(writes, await db.execute(returnChanges(table, writes, { values, update, all })))
  // Postgres returns rows as it finds them; the audit, and the results of an undo, have them in the order that was
  // asked for.
  const places = new Map(keys.map((key, place) => [key, place]))
  const place = ({ key }: RowChange) => places.get(key) ?? 0
  return changes.toSorted((one, other) => place(one) - place(other))
}

const cellName = (index: number): SQL => sql`${sql.identifier(`cell_${index}`)}`

const cellsBefore = (writes: readonly CellWrite[]): readonly SQL[] =>
  writes.map(({ column: { attribute } }, index) => sql`${attribute}::text as ${cellName(index)}`)

interface UpdateParts {
  /** The named query that both parts read; ends with a comma. */
  readonly values: SQL | undefined
  /** An update from `__was`. */
  readonly update: SQL
  /** The rows to update, also those that are outside of the scope by now, up to their condition. */
  readonly all: SQL
}

/**
 * Completes an update: it returns the cells of each changed row before, after and as they were to be. A row that was to
 * be changed and that a trigger has left out has no cells.
 */
function returnChanges(table: CompiledTable, writes: readonly CellWrite[], { values, update, all }: UpdateParts): SQL {
  const key = keyAsText(table)
  const cells = writes.map((write, index) => {
    const { attribute } = write.column
    return sql`__was.${cellName(index)}, ${attribute}::text, ${storedText(write)}`
  })
  return sql`
    with ${values} __changed as (${update} returning ${key} as key, to_json(array[${list(cells)}])::text as cells)
    select key, cells from __changed
    union all select ${key}, null from ${all} and ${isAnyDifferent(writes)} and ${key} not in (select key from __changed)`
}

/** The text of a value as its column stores it, with the digits and the length that the type has. */
const storedText = ({ column: { source }, value }: CellWrite): SQL =>
  source.kind === 'enum' ? sql`${value}::text` : sql`(${value}::${sql.raw(source.sqlType)})::text`

/**
 * Reads the changed cells. Throws if a trigger has kept a row as it was, so that nothing else of the row is changed
 * either.
 */
function readChanges(
  writes: readonly CellWrite[],
  rows: Iterable<Readonly<Record<string, unknown>>>,
): readonly RowChange[] {
  return [...rows].flatMap(({ key, cells }): readonly RowChange[] => {
    const texts: readonly (string | null)[] = JSON.parse(String(cells)) ?? []
    const changed = writes.flatMap(({ column }, index): (readonly [string, CellChange])[] => {
      const [before = null, after = null] = texts.slice(3 * index)
      return before === after ? [] : [[column.key, { before, after }]]
    })
    if (changed.length > 0) return [{ key: String(key), cells: Object.fromEntries(changed) }]
    const isKept = texts.length === 0 || writes.some((_, index) => texts[3 * index + 1] !== texts[3 * index + 2])
    if (isKept) throw keptRow()
    return []
  })
}

/** Writes the value that `given` has for the row, and leaves the cell as it is where it has none. */
export function writeGiven(column: EditableColumn): CellWrite {
  const { attribute, key, source } = column
  const type = sql.raw(source.sqlType)
  const value = sql`(__given.cells ->> ${key}::text)::${type}`
  return { column, value: sql`case when __given.cells -> ${key}::text is null then ${attribute} else ${value} end` }
}

const isAnyDifferent = (writes: readonly CellWrite[]): SQL => sql`(${sql.join(writes.map(isDifferent), sql` or `)})`

/**
 * Returns the condition that a cell would change. Compares texts, because values with different texts may be equal to
 * Postgres: `24:00:00` and `1 day`, or `a` and `A` as citext.
 */
function isDifferent({ column: { attribute, source }, value }: CellWrite): SQL {
  const type = writtenType(source)
  if (type === undefined) return sql`${attribute} is distinct from ${value}`
  return sql`${attribute}::text collate "C" is distinct from (${value}::${sql.raw(type)})::text collate "C"`
}

/**
 * The type by which a new value is written as Postgres would store it. One with a length would cut the value instead of
 * refusing it.
 */
function writtenType({ kind, sqlType }: Source): string | undefined {
  if (kind === 'text') return /^char/.test(sqlType) ? 'bpchar' : 'text'
  if (kind === 'other') return /^bit/.test(sqlType) ? 'varbit' : sqlType
  // The type json has no equality.
  return sqlType === 'json' ? sqlType : undefined
}

/** Whether a row has the value already, as a unique index compares it. */
const holdsValue = ({ column: { attribute, source }, value }: CellWrite): SQL =>
  source.sqlType === 'json' ? sql`true` : sql`${attribute} is not distinct from ${value}`

/** The attributes that change with every update: those with drizzle's `$onUpdate`, and the table's version. */
function ownAssignments(
  { from, version }: TableView['table']['definition'],
  writes: readonly CellWrite[],
): readonly SQL[] {
  const written = new Set(writes.map(({ column }) => column.key))
  return Object.entries(listColumns(from)).flatMap(([name, attribute]) => {
    if (written.has(name)) return []
    const target = sql.identifier(attribute.name)
    // Two values of `$onUpdate` may be one, such as times within a second.
    const next = name === version ? nextVersion(attribute) : undefined
    if (next !== undefined) return [sql`${target} = ${next}`]
    const made: unknown = attribute.onUpdateFn?.()
    return made === undefined ? [] : [sql`${target} = ${is(made, SQL) ? made : sql.param(made, attribute)}`]
  })
}

/** The next value of a counter, a time or a UUID. A text is left to the database. */
function nextVersion(attribute: PgColumn): SQL | undefined {
  const sqlType = attribute.getSQLType()
  const [, precision = '6'] = /\((\d)\)/.exec(sqlType) ?? []
  // Postgres rounds a smaller step away.
  const later = sql`${attribute} + interval '${sql.raw(String(10 ** (6 - Number(precision))))} microseconds'`
  switch (kindOfType(sqlType)) {
    case 'integer': {
      const [min, max] = integerRange(sqlType)
      return sql`case when ${attribute} = ${sql.raw(String(max))} then ${sql.raw(String(min))} else ${attribute} + 1 end`
    }
    case 'decimal':
      return sql`${attribute} + 1`
    case 'instant':
      return sql`greatest(clock_timestamp(), ${later})`
    case 'timestamp':
      return sql`greatest(clock_timestamp() at time zone 'UTC', ${later})`
    case 'uuid':
      return sql`gen_random_uuid()`
    default:
      return undefined
  }
}

/** The cells to write into locked rows, by the texts of their keys. */
type RowWrites = ReadonlyMap<string, readonly CellWrite[]>

type RowWrite = readonly [key: string, writes: readonly CellWrite[]]

const maxRowsPerStatement = 200

/**
 * Writes each locked row's own values, by one statement for up to 200 rows in which the same columns change. A row that
 * Postgres refuses leaves the others as they are.
 */
export async function writeRows(db: Session, view: TableView, rows: RowWrites): Promise<WriteOutcome> {
  const outcome = await writeInTurn([...rows.keys()], (some) =>
    writeGroups(
      db,
      view,
      some.map((key) => [key, rows.get(key) ?? []]),
    ),
  )
  return { ...outcome, refused: await explainSwaps(db, view, rows, outcome.refused) }
}

async function writeGroups(db: Session, view: TableView, rows: readonly RowWrite[]): Promise<WriteOutcome> {
  const alike = Map.groupBy(rows, ([, writes]) => writes.map(({ column }) => column.key).join('\n'))
  const outcomes: WriteOutcome[] = []
  for (const group of alike.values())
    for (let at = 0; at < group.length; at += maxRowsPerStatement)
      outcomes.push(await writeSome(db, view, group.slice(at, at + maxRowsPerStatement)))
  return joinOutcomes(outcomes)
}

/** The most refused rows of which is asked whether another refused row has their value. */
const maxExplained = 100

/** Says of a value that another refused row has how values are swapped. */
async function explainSwaps(
  db: Session,
  view: TableView,
  rows: RowWrites,
  refused: WriteOutcome['refused'],
): Promise<WriteOutcome['refused']> {
  const { table } = view
  const taken = [...rows].filter(([key]) => isTaken(refused.get(key)))
  const explained = new Map(refused)
  for (const [key, writes] of taken.slice(0, maxExplained)) {
    const error = refused.get(key)
    const refusal = findValueRefusal(error)
    const others = taken.flatMap(([other]) => (other === key ? [] : [other]))
    const named = writes.filter(({ column }) => Object.hasOwn(error?.fields ?? {}, `cells.${column.key}`))
    if (refusal === undefined || others.length === 0) continue
    const [held] = await db.execute(
      sql`select true from ${table.definition.from} where ${keyCondition(table, others)} and ${sql.join(named.map(holdsValue), sql` and `)} limit 1`,
    )
    const columns = named.map(({ column }) => column)
    if (held !== undefined) explained.set(key, await createValueError(db, view, refusal, columns, stillUsed))
  }
  return explained
}

/** Halves the rows until those that Postgres refuses stand alone. */
async function writeSome(db: Session, view: TableView, rows: readonly RowWrite[]): Promise<WriteOutcome> {
  const [first] = rows
  if (first === undefined) return { changes: [], refused: new Map() }
  const [key, writes] = first
  if (rows.length === 1) return writeAlike(db, { view }, writes, [key])
  try {
    return { changes: await db.transaction((nested) => updateRows(nested, view, rows)), refused: new Map() }
  } catch (error) {
    if (findValueRefusal(error) === undefined) throw error
    const middle = Math.ceil(rows.length / 2)
    return joinOutcomes([
      await writeSome(db, view, rows.slice(0, middle)),
      await writeSome(db, view, rows.slice(middle)),
    ])
  }
}

async function updateRows(db: Session, { table }: TableView, rows: readonly RowWrite[]): Promise<readonly RowChange[]> {
  const { from } = table.definition
  const keyColumn = keyAttribute(table)
  const columns = rows[0]?.[1].map(({ column }) => column) ?? []
  const written = columns.map((column, index): CellWrite => ({ column, value: sql`__wanted.${cellName(index)}` }))
  // The first part has no row: it gives the others the types of the columns.
  const typed = columns.map(({ attribute }, index) => sql`${attribute} as ${cellName(index)}`)
  const others = rows.map(
    ([key, writes]) => sql`select ${list([keyValue(table, key), ...writes.map(({ value }) => value)])}`,
  )
  const first = sql`select ${list([sql`${keyColumn} as row_key`, ...typed])} from ${from} where false`
  const assignments = [
    ...written.map(({ column: { attribute }, value }) => sql`${sql.identifier(attribute.name)} = ${value}`),
    ...ownAssignments(table.definition, written),
  ]
  const keys = rows.map(([key]) => key)
  const update = sql`
    update ${from} set ${list(assignments)}
    from (select ${list([sql`${keyColumn} as row_key`, ...cellsBefore(written)])} from ${from} where ${keyCondition(table, keys)}) __was
      join __wanted using (row_key)
    where ${keyColumn} = __was.row_key and ${isAnyDifferent(written)}`
  const values = sql`__wanted as (${sql.join([first, ...others], sql` union all `)}),`
  const all = sql`${from} join __wanted on ${keyColumn} = __wanted.row_key where true`
  return readChanges(written, await db.execute(returnChanges(table, written, { values, update, all })))
}

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `)
