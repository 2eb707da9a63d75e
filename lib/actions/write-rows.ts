import { inArray, type SQL, sql } from 'drizzle-orm'
import type { RequestError } from '../errors/request-error.ts'
import type { AnyRow } from '../table/context.ts'
import { listColumns } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import { findValueRefusal } from './constraint-fault.ts'
import type { Session } from './run-row-action.ts'
import { type CellWrite, isDifferent, ownAssignments, type RowChange, readChange, writeCells } from './write-cells.ts'

/** The cells to write into one locked row. */
export interface RowWrite {
  readonly row: AnyRow
  readonly writes: readonly CellWrite[]
}

interface WriteOutcome {
  /** Only rows in which a cell has another value than before. */
  readonly changes: readonly RowChange[]
  /** The rows that Postgres refused. */
  readonly refused: ReadonlyMap<AnyRow, RequestError>
}

const maxRowsPerStatement = 200

/**
 * Writes each locked row's own values, by one statement for up to 200 rows in which the same columns change. A row that Postgres
 * refuses leaves the others as they are.
 */
export async function writeRows(db: Session, view: TableView, rows: readonly RowWrite[]): Promise<WriteOutcome> {
  const alike = Map.groupBy(rows, ({ writes }) => writes.map(({ column }) => column.key).join('\n'))
  const changes: RowChange[] = []
  const refused = new Map<AnyRow, RequestError>()
  for (const group of alike.values())
    for (let at = 0; at < group.length; at += maxRowsPerStatement) {
      const outcome = await writeSome(db, view, group.slice(at, at + maxRowsPerStatement))
      changes.push(...outcome.changes)
      for (const [row, error] of outcome.refused) refused.set(row, error)
    }
  return { changes, refused }
}

/** Halves the rows until those that Postgres refuses stand alone. */
async function writeSome(db: Session, view: TableView, rows: readonly RowWrite[]): Promise<WriteOutcome> {
  const [first] = rows
  if (first === undefined) return { changes: [], refused: new Map() }
  if (rows.length === 1) return writeCells(db, view, first.writes, [first.row])
  try {
    return { changes: await db.transaction((nested) => update(nested, view, rows)), refused: new Map() }
  } catch (error) {
    if (findValueRefusal(error) === undefined) throw error
    const middle = Math.ceil(rows.length / 2)
    const parts = [await writeSome(db, view, rows.slice(0, middle)), await writeSome(db, view, rows.slice(middle))]
    return {
      changes: parts.flatMap(({ changes }) => changes),
      refused: new Map(parts.flatMap(({ refused }) => [...refused])),
    }
  }
}

async function update(
  db: Session,
  { table: { definition } }: TableView,
  rows: readonly RowWrite[],
): Promise<readonly RowChange[]> {
  const { from, key } = definition
  const keyColumn = listColumns(from)[key]
  const columns = rows[0]?.writes.map(({ column }) => column) ?? []
  if (keyColumn === undefined) throw new Error(`the key "${key}" is not an attribute`)
  const names = columns.map((_, index) => sql.identifier(`cell_${index}`))
  const written = columns.map((column, index): CellWrite => ({ column, value: sql`wanted.${names[index]}` }))
  // The first part has no row: it gives the others the types of the columns.
  const typed = sql`select ${list([keyColumn, ...columns.map(({ attribute }) => attribute)].map((one, index) => sql`${one} as ${sql.identifier(index === 0 ? 'row_key' : `cell_${index - 1}`)}`))} from ${from} where false`
  const values = rows.map(
    ({ row, writes }) =>
      sql`select ${list([sql`${sql.param(row[key], keyColumn)}`, ...writes.map(({ value }) => value)])}`,
  )
  const before = columns.map(({ attribute }, index) => sql`${attribute}::text as ${names[index]}`)
  const both = columns.map(({ attribute }, index) => sql`was.${names[index]}, ${attribute}::text`)
  const assignments = [
    ...written.map(({ column: { attribute }, value }) => sql`${sql.identifier(attribute.name)} = ${value}`),
    ...ownAssignments(definition, written),
  ]
  const keys = rows.map(({ row }) => row[key])
  const updated = await db.execute(sql`
    update ${from} set ${list(assignments)}
    from (select ${keyColumn} as row_key, ${list(before)} from ${from} where ${inArray(keyColumn, keys)}) was
      join (${sql.join([typed, ...values], sql` union all `)}) wanted using (row_key)
    where ${keyColumn} = was.row_key and (${sql.join(written.map(isDifferent), sql` or `)})
    returning ${keyColumn}::text as key, to_json(array[${list(both)}])::text as cells`)
  return [...updated].flatMap((row) => readChange(written, String(row['key']), String(row['cells'])))
}

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `)
