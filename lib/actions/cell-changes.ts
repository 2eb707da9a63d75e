import { sql } from 'drizzle-orm'
import type { EditableColumn } from '../table/editable-columns.ts'
import type { ActionTarget } from './action-rows.ts'
import type { Session } from './run-row-action.ts'
import type { RowChange } from './write-cells.ts'

/** A change of cells as the audit keeps it. */
export interface ChangeEntry {
  /** The id of the change, of all its rows. */
  readonly change: string
  /** The change that this one undoes. */
  readonly undoes?: string
}

/**
 * Adds changed cells to the audit, in the transaction that changes them; the values of sensitive columns are left out.
 */
export async function recordChanges(
  db: Session,
  { view, context, requestId }: ActionTarget,
  { change, undoes }: ChangeEntry,
  changes: readonly RowChange[],
  columns: ReadonlyMap<string, EditableColumn>,
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ key, cells }) => ({
    key,
    cells: Object.fromEntries(
      Object.entries(cells).map(([name, values]) => [name, columns.get(name)?.isSensitive === true ? {} : values]),
    ),
  }))
  await db.execute(sql`
    insert into table_control.cell_changes (change, undoes, subject, table_name, row_key, cells, request_id)
    select ${change}::uuid, ${undoes ?? null}::uuid, ${context.identity.subject}::text, ${view.table.name}::text, key, cells, ${requestId}::text
    from jsonb_to_recordset((${JSON.stringify(rows)}::text)::jsonb) as changed (key text, cells jsonb)`)
}
