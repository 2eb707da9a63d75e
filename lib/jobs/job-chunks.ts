import { bind, createStatement } from '../db/statement.ts'
import type { Run } from '../db/transaction.ts'
import { keysText } from '../query/keys-statement.ts'
import type { Plan } from '../query/plan.ts'
import { storedJson } from '../rows/stored-json.ts'
import type { OpenedTable } from '../table/open-table.ts'

/**
 * Stores the keys of a job's rows, in their order and by one statement, so that its own changes neither skip nor repeat
 * a row. Returns the number of rows, counted up to one more than `maxRows`.
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
  await saveTotal(run, jobId, total)
  return total
}

/** Returns the texts of the keys of a job's frozen rows. */
export async function listFrozenKeys(run: Run, jobId: string): Promise<readonly string[]> {
  const chunks = await run('select keys from table_control.job_chunks where job_id = $1', [jobId])
  return chunks.flatMap(([keys]) => keys as readonly string[])
}

/** The rows of a chunk. A stored chunk of a plan has `versions`, which are empty if the table's rows have none. */
export interface FrozenRows {
  readonly keys: readonly string[]
  readonly versions?: readonly string[]
}

const chunkInsertion = 'insert into table_control.job_chunks (job_id, position, keys, versions) values ($1, $2, $3, $4)'

/** Stores one chunk of the rows of a plan. */
export async function insertChunk(
  run: Run,
  jobId: string,
  position: number,
  { keys, versions }: Required<FrozenRows>,
): Promise<void> {
  await run(chunkInsertion, [jobId, position, JSON.stringify(keys), JSON.stringify(versions)])
}

/** Freezes rows of a plan that a request has made, which the job compares with their versions. Returns their number. */
export async function freezePlanned(
  run: Run,
  jobId: string,
  { keys, versions = [] }: FrozenRows,
  chunk: number,
): Promise<number> {
  for (let start = 0; start < keys.length; start += chunk) {
    const end = start + chunk
    await insertChunk(run, jobId, start / chunk, { keys: keys.slice(start, end), versions: versions.slice(start, end) })
  }
  await saveTotal(run, jobId, keys.length)
  return keys.length
}

/** Freezes the rows of a plan that a job has made. */
export async function copyChunks(run: Run, planId: string, jobId: string, total: number): Promise<void> {
  const text = `insert into table_control.job_chunks (job_id, position, keys, versions)
    select $2::uuid, position, keys, versions from table_control.job_chunks where job_id = $1`
  await run(text, [planId, jobId])
  await saveTotal(run, jobId, total)
}

/** Stores the number of rows of a job. */
export async function saveTotal(run: Run, jobId: string, total: number): Promise<void> {
  await run('update table_control.jobs set total = $2 where id = $1', [jobId, total])
}

/** Returns the keys of the first chunk of frozen rows. */
export async function listFirstKeys(run: Run, jobId: string): Promise<readonly string[]> {
  const [row] = await run('select keys from table_control.job_chunks where job_id = $1 and position = 0', [jobId])
  return (row?.[0] ?? []) as readonly string[]
}

const nextChunk = `select position, keys, versions from table_control.job_chunks
  where job_id = $1 and position > $2 and done_at is null order by position limit 1`

/** Returns the first chunk of frozen rows after a position that is not done. Chunks before it are not read again. */
export async function findNextChunk(
  run: Run,
  jobId: string,
  after: number,
): Promise<(FrozenRows & { readonly position: number }) | undefined> {
  const [row] = await run(nextChunk, [jobId, after])
  if (row === undefined) return undefined
  const [position, keys, versions] = row
  const rows = { position: Number(position), keys: keys as readonly string[] }
  return versions === null ? rows : { ...rows, versions: versions as readonly string[] }
}

const completion =
  'update table_control.job_chunks set done_at = now(), outcome = $3 where job_id = $1 and position = $2'

/** Stores that a chunk is done, with its outcome as JSON. */
export const completeChunk = (run: Run, jobId: string, position: number, outcome: object): Promise<unknown> =>
  run(completion, [jobId, position, storedJson(outcome)])

const outcomes = `select outcome from table_control.job_chunks
  where job_id = $1 and done_at is not null order by position`

/** Returns the outcomes of the chunks that are done, in their order. */
export const listChunkOutcomes = async (run: Run, jobId: string): Promise<readonly unknown[]> =>
  (await run(outcomes, [jobId])).map(([outcome]) => outcome)
