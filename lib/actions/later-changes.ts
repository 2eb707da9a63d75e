import type { Transaction } from '../db/transaction.ts'
import type { CellChange } from './write-cells.ts'

type Run = Transaction['run']

/** The cells of one row that a change has changed. Both values of a sensitive cell are absent. */
export interface AuditedRow {
  readonly id: bigint
  readonly key: string
  readonly cells: Readonly<Record<string, Partial<CellChange>>>
}

/** Reads the rows of a change from the audit. */
export async function readAuditedRows(run: Run, table: string, change: string): Promise<readonly AuditedRow[]> {
  const text = `select id::text, row_key, cells::text from table_control.cell_changes
    where change = $1 and table_name = $2 order by cell_changes.id`
  const rows = await run(text, [change, table])
  return rows.map(([id, key, cells]) => ({
    id: BigInt(String(id)),
    key: String(key),
    cells: JSON.parse(String(cells)),
  }))
}

/** An entry of the audit about one row. */
interface Entry {
  readonly change: string
  readonly undoes: string | null
  readonly fields: readonly string[]
}

const maxEntries = 100

const selection = `select later.row_key, later.change, later.undoes, later.fields::text
  from jsonb_to_recordset(($2::text)::jsonb) as changed (key text, id bigint), lateral (
    select row_key, change, undoes, array_to_json(array(select jsonb_object_keys(cells))) as fields, id
    from table_control.cell_changes
    where table_name = $1 and row_key = changed.key and cell_changes.id > changed.id order by id limit ${maxEntries + 1}
  ) later order by later.id`

/**
 * Finds the rows whose cells have been changed again after these changes. An undone change does not count, so that two changes of one
 * cell can be undone one after the other. The rows must be locked.
 */
export async function findLaterChanges(
  run: Run,
  table: string,
  rows: readonly AuditedRow[],
): Promise<ReadonlySet<string>> {
  const asked = rows.map(({ key, id }) => ({ key, id: String(id) }))
  const found = await run(selection, [table, JSON.stringify(asked)])
  const byKey = Map.groupBy(found, ([key]) => String(key))
  const conflicting = rows.filter(({ key, cells }) => {
    const entries = (byKey.get(key) ?? []).map(
      ([, change, undoes, fields]): Entry => ({
        change: String(change),
        undoes: typeof undoes === 'string' ? undoes : null,
        fields: JSON.parse(String(fields)),
      }),
    )
    return (
      entries.length > maxEntries ||
      listLasting(entries).some(({ fields }) => fields.some((name) => Object.hasOwn(cells, name)))
    )
  })
  return new Set(conflicting.map(({ key }) => key))
}

/** Lists the entries that were not undone, without those that only undo one of these entries. */
function listLasting(entries: readonly Entry[]): readonly Entry[] {
  const changes = new Set(entries.map(({ change }) => change))
  const undone = new Set<string>()
  for (const { change, undoes } of entries.toReversed()) if (undoes !== null && !undone.has(change)) undone.add(undoes)
  return entries.filter(({ change, undoes }) => !undone.has(change) && !(undoes !== null && changes.has(undoes)))
}
