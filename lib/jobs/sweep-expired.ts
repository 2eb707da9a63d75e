import type { Config } from '../config.ts'
import { removeObject } from '../storage/object-store.ts'
import type { JobService } from './job.ts'

const maxRows = 1_000
/** With each import, up to 50,000 cells are removed. */
const maxImports = 5
const maxFiles = 200
const filesAtOnce = 10

type Retention = Pick<Config, 'AUDIT_DAYS' | 'HISTORY_DAYS' | 'JOB_DAYS' | 'NOTIFICATION_DAYS'>

/**
 * The condition on which a row of each table may be removed, and the order of an index. Without an order, the planner
 * reads all of a table in which it expects many such rows.
 */
const expiryConditions = ({ JOB_DAYS, NOTIFICATION_DAYS }: Retention): Readonly<Record<string, string>> => ({
  // Not a setting, because the wire contract promises clients a day.
  idempotency_keys: "created_at < now() - interval '24 hours' order by created_at",
  socket_tickets: 'expires_at < now() order by expires_at',
  subscriptions: 'expires_at < now() order by expires_at',
  // The watchers of such a change have asked again, or have gone.
  row_events: "created_at < now() - interval '1 hour'",
  // A client that repeats its request within a day reads why, or the first response.
  plans: "expires_at < now() - interval '1 day' order by expires_at",
  // For a day, a late client gets `undo_expired` instead of `undo_not_found`.
  undos: "expires_at < now() - interval '1 day' order by expires_at",
  // Its cells are removed with it, and its file by the bucket.
  imports: 'expires_at < now() order by expires_at',
  // A full allowance needs no row. An index on the time would have to be written by each charge: reading a million rows
  // takes 0.3 s.
  caller_usage: 'full_at < now()',
  // A client that was away for longer requests the job itself.
  job_events: "created_at < now() - interval '1 day' order by created_at",
  notifications: `created_at < now() - interval '${NOTIFICATION_DAYS} days' order by created_at`,
  // Recipients are removed with their job.
  jobs: `created_at < now() - interval '${JOB_DAYS} days' and state not in ('queued', 'running') order by created_at`,
})

/** How many rows of a table one statement removes. */
const maxRemoved = (table: string): number => (table === 'imports' ? maxImports : maxRows)

/** The sweep has a minute for all of its steps. */
const maxMs = 20_000

/** Reports the failure of a part of the sweep, of which the rest goes on. */
export type ReportFailure = (error: unknown, of?: { readonly table: string; readonly action?: string }) => void

/**
 * Removes expired rows, some of each table in turn, for twenty seconds at most. The next sweep removes the rest. A
 * table whose rows cannot be removed is left out.
 */
export async function removeExpired(
  { config, database: { transaction } }: JobService,
  fail: ReportFailure,
): Promise<number> {
  const end = performance.now() + maxMs
  let removed = 0
  const tables = removals(config)
  // In another order each time, so that tables which take all of the time do not keep the same ones waiting.
  const first = Math.floor(Math.random() * tables.length)
  let remaining = [...tables.slice(first), ...tables.slice(0, first)]
  while (remaining.length > 0 && performance.now() < end) {
    const unfinished: typeof remaining = []
    for (const [table, removal] of remaining) {
      if (performance.now() > end) break
      try {
        const [row] = await transaction(({ run }) => run(removal, []))
        removed += Number(row?.[0])
        if (Number(row?.[0]) === maxRemoved(table)) unfinished.push([table, removal])
      } catch (error) {
        fail(error, { table })
      }
    }
    remaining = unfinished
  }
  return removed
}

// The result of a finished job has the outcome of its rows. The chunks are found by their jobs, each of which is marked
// once it has none, because chunks do not tell when their job has ended. "limit 1" keeps the planner from reading all
// chunks at once.
const chunkRemoval = `with ended as (
    select id, (select true from table_control.job_chunks where job_id = id limit 1) as has_chunks from table_control.jobs
    where kind in ('bulk', 'plan') and not chunks_removed and finished_at < now() - interval '1 day'
    order by finished_at limit ${maxRows}),
  marked as (
    update table_control.jobs set chunks_removed = true where id = any(array(
      select id from table_control.jobs where id = any(array(select id from ended where has_chunks is null)) for update skip locked))
    returning true),
  removed as (
    delete from table_control.job_chunks where ctid = any(array(select place from ended cross join lateral (
      select ctid as place from table_control.job_chunks where job_id = ended.id limit ${maxRows} for update skip locked) chunk
      where has_chunks limit ${maxRows}))
    returning true)
  select greatest((select count(*) from marked), (select count(*) from removed))::int`

// The cells of a plan's sample are kept as long as the plan. The job is kept for longer.
const sampleRemoval = `with shortened as (
    update table_control.jobs set result = jsonb_set(result, '{plan,sample}', '[]') where id = any(array(
      select id from table_control.jobs where kind = 'plan' and finished_at < now() - interval '1 day'
        and result #> '{plan,sample}' <> '[]' order by finished_at limit ${maxRows} for update skip locked))
    returning true)
  select count(*)::int from shortened`

/** Returns a statement for each table that removes some rows and returns their number. */
const removals = (config: Retention): (readonly [table: string, statement: string])[] => [
  ...Object.entries(expiryConditions(config)).map(([table, condition]) => {
    const expired = `select ctid from table_control.${table} where ${condition} limit ${maxRemoved(table)} for update skip locked`
    const text = `delete from table_control.${table} where ctid = any(array(${expired}))`
    return [table, `with removed as (${text} returning true) select count(*)::int from removed`] as const
  }),
  ['job_chunks', chunkRemoval],
  ['jobs', sampleRemoval],
  // The service's role may only add to the audit and to the changes of cells, so functions of the owner remove old
  // rows.
  ['audit', `select table_control.remove_old_audit(${config.AUDIT_DAYS}, ${maxRows})`],
  [
    'cell_changes',
    `select table_control.remove_old_cell_changes(${config.HISTORY_DAYS ?? config.AUDIT_DAYS}, ${maxRows})`,
  ],
]

// A link that is being extended is locked, and left for the next sweep.
const marking = `with expired as (select id as of from table_control.downloads
    where expires_at < now() order by expires_at limit ${maxFiles} for update skip locked)
  update table_control.downloads set revoked_at = coalesce(revoked_at, now())
  from expired where id = expired.of returning id`

// The object stays while one of its links can still be extended.
const files = `select id, object_key, exists (select from table_control.downloads other
    where other.object_key = ended.object_key and (other.expires_at >= now() or other.revoked_at is null))
  from table_control.downloads ended where id = any($1::uuid[])`

const removal = 'delete from table_control.downloads where id = any($1::uuid[])'

/**
 * Removes expired links, and each file with its last link, for twenty seconds at most. Links are revoked first, so that
 * none is extended meanwhile; rows are removed last, so that a row refers to every file.
 */
export async function removeExpiredFiles(service: JobService): Promise<number> {
  if (service.config.REPORT_BUCKET === undefined) return 0
  const end = performance.now() + maxMs
  let removed = 0
  let count: number
  do {
    count = await removeSomeFiles(service)
    removed += count
  } while (count === maxFiles && performance.now() < end)
  return removed
}

async function removeSomeFiles({ config, database }: JobService): Promise<number> {
  const marked = await database.transaction(({ run }) => run(marking, []))
  // After the commit, so that of two sweeps that revoke links of one file, one sees both.
  const ended = (await database.read(files, [marked.map(([id]) => String(id))])).map(([id, key, isShared]) => ({
    id: String(id),
    key: String(key),
    isShared: isShared === true,
  }))
  for (let start = 0; start < ended.length; start += filesAtOnce) {
    const some = ended.slice(start, start + filesAtOnce)
    const keys = new Set(some.flatMap(({ key, isShared }) => (isShared ? [] : [key])))
    await Promise.all([...keys].map((key) => removeObject(config, key)))
    await database.transaction(({ run }) => run(removal, [some.map(({ id }) => id)]))
  }
  return marked.length
}
