import { bind, createStatement } from '../db/statement.ts'
import type { Transaction } from '../db/transaction.ts'
import { keysText } from '../query/keys-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { OpenedTable } from '../table/open-table.ts'

type Run = Transaction['run']

/**
 * Stores the keys of a job's rows, in their order and by one statement, so that its own changes neither skip nor repeat a row.
 * Returns the number of rows, counted up to one more than `maxRows`.
 */
export async function freezeRows(
  run: Run,
  jobId: string,
  opened: OpenedTable,
  plan: Plan,
  { chunk, maxRows }: { readonly chunk: number; readonly maxRows: number },
): Promise<number> {
  const statement = createStatement()
  const job = bind(statement, jobId)
  const keys = keysText(statement, opened, plan)
  const text = `with frozen as (
    insert into table_control.job_chunks (job_id, position, keys)
    select ${job}::uuid, (place - 1) / ${chunk}, jsonb_agg(k order by place)
    from (select k::text as k, row_number() over () as place from (${keys} limit ${maxRows + 1}) selected) numbered
    group by 2 returning jsonb_array_length(keys) as size)
    select coalesce(sum(size), 0)::int from frozen`
  const [row] = await run(text, statement.parameters)
  const total = Number(row?.[0] ?? 0)
  await run('update table_control.jobs set total = $2 where id = $1', [jobId, total])
  return total
}

/** Returns the texts of the keys of a job's frozen rows. */
export async function listFrozenKeys(run: Run, jobId: string): Promise<readonly string[]> {
  const chunks = await run('select keys from table_control.job_chunks where job_id = $1', [jobId])
  return chunks.flatMap(([keys]) => keys as readonly string[])
}

const nextChunk = `select position, keys from table_control.job_chunks
  where job_id = $1 and done_at is null order by position limit 1`

/** Returns the first chunk of frozen rows that is not done. */
export async function findNextChunk(
  run: Run,
  jobId: string,
): Promise<{ readonly position: number; readonly keys: readonly string[] } | undefined> {
  const [row] = await run(nextChunk, [jobId])
  return row && { position: Number(row[0]), keys: row[1] as readonly string[] }
}

const completion =
  'update table_control.job_chunks set done_at = now(), outcome = $3 where job_id = $1 and position = $2'

/** Stores that a chunk is done, with its outcome as JSON. */
export const completeChunk = (run: Run, jobId: string, position: number, outcome: object): Promise<unknown> =>
  run(completion, [jobId, position, JSON.stringify(outcome)])

const outcomes = `select outcome from table_control.job_chunks
  where job_id = $1 and done_at is not null order by position`

/** Returns the outcomes of the chunks that are done, in their order. */
export const listChunkOutcomes = async (run: Run, jobId: string): Promise<readonly unknown[]> =>
  (await run(outcomes, [jobId])).map(([outcome]) => outcome)
