import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import type { CompiledTable } from '../table/compiled-table.ts'

/** The pause between two looks for what other programs have written to a watched table. */
export const pollSeconds = 2

const due = `now() + interval '${pollSeconds} seconds'`
// Longer than any message of the queue is late while workers are free. One that is due much later was due before the
// clock of the database was set back.
const lost = "row_polls.due_at not between now() - interval '30 seconds' and now() + interval '1 minute'"

// The row is locked even if nothing changes: a poll that ends meanwhile waits, and finds the new subscription.
const beginning = `insert into table_control.row_polls (table_name, due_at) values ($1, ${due})
  on conflict (table_name) do update set number = row_polls.number + (${lost})::int,
    due_at = case when ${lost} then ${due} else row_polls.due_at end
  returning number, due_at = ${due}, exists (select from pg_trigger
    where tgrelid = to_regclass($2) and tgfoid = to_regproc('table_control.record_row_change') and tgenabled in ('O', 'A')
      and position('\\x00'::bytea || convert_to($1, 'UTF8') || '\\x00'::bytea in '\\x00'::bytea || tgargs) > 0)`

/** The poll of a table. */
export interface Poll {
  /** The number of its next message. */
  readonly number: number
  /** False if it was under way. */
  readonly isBegun: boolean
  /** True if an enabled trigger of the table tells of the writes that it looks for. */
  readonly hasTrigger: boolean
}

/** Begins to poll a table unless a poll is under way, in the transaction of a subscription. */
export async function beginPoll(run: Run, { name, text }: Pick<CompiledTable, 'name' | 'text'>): Promise<Poll> {
  const [row] = await run(beginning, [name, text])
  return { number: Number(row?.[0]), isBegun: row?.[1] === true, hasTrigger: row?.[2] === true }
}

const locking = 'select true from table_control.row_polls where table_name = $1 and number = $2 for update'
// A statement of its own after the lock, so that it sees a subscription that was stored meanwhile.
const continuing = `update table_control.row_polls set number = number + 1, due_at = ${due}
  where table_name = $1 and exists (select from table_control.subscriptions watch
    where watch.table_name between $1 and $1 and watch.expires_at > now())
  returning number`
const ending = 'delete from table_control.row_polls where table_name = $1'

/**
 * Returns the number of the next message of a poll; `undefined` if no socket watches the table, or the message was
 * overtaken.
 */
export const continuePoll = ({ transaction }: Database, tableName: string, poll: number): Promise<number | undefined> =>
  transaction(async ({ run }) => {
    const locked = await run(locking, [tableName, poll])
    if (locked.length === 0) return undefined
    const [row] = await run(continuing, [tableName])
    if (row !== undefined) return Number(row[0])
    await run(ending, [tableName])
    return undefined
  })

const taking = `update table_control.row_polls set number = number + 1, due_at = ${due} where ${lost}
  returning table_name, number`

/** Takes up polls whose message the queue has lost. */
export const takeLostPolls = async ({
  transaction,
}: Database): Promise<readonly { readonly tableName: string; readonly poll: number }[]> => {
  const rows = await transaction(({ run }) => run(taking, []))
  return rows.map(([tableName, number]) => ({ tableName: String(tableName), poll: Number(number) }))
}
