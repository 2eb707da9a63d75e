import type { Config } from '../config.ts'
import { removeObject } from '../storage/object-store.ts'
import type { SweepService } from './sweep-queue.ts'

const mostRows = 1_000
const mostFiles = 200
const filesAtOnce = 10

type Retention = Pick<Config, 'AUDIT_DAYS' | 'JOB_DAYS' | 'NOTIFICATION_DAYS'>

/** Tables of what is kept for a while, with the condition on which a row may go. */
const expiredRows = ({ JOB_DAYS, NOTIFICATION_DAYS }: Retention): Readonly<Record<string, string>> => ({
  // Not a setting: clients are promised that a key lasts for a day.
  idempotency_keys: "created_at < now() - interval '24 hours'",
  socket_tickets: 'expires_at < now()',
  // Jobs are shown for longer; a client that was away for a day asks for the job itself.
  job_events: "created_at < now() - interval '1 day'",
  notifications: `created_at < now() - interval '${NOTIFICATION_DAYS} days'`,
  // The result of a job that has ended says what came of its rows.
  job_chunks: `exists (select from table_control.jobs ended where ended.id = job_id
    and ended.state not in ('queued', 'running') and coalesce(ended.finished_at, ended.created_at) < now() - interval '1 day')`,
  // Their recipients go with them.
  jobs: `created_at < now() - interval '${JOB_DAYS} days' and state not in ('queued', 'running')`,
})

/** The sweep has more to do than this, and a minute for all of it. */
const mostMs = 20_000

/**
 * Removes what has expired, a thousand rows of each kind at a time in turn, for twenty seconds at most: what is left is found
 * a minute later.
 */
export async function removeExpired({ config, database: { transaction } }: SweepService): Promise<number> {
  const end = performance.now() + mostMs
  let removed = 0
  let left = removals(config)
  while (left.length > 0 && performance.now() < end) {
    const full: typeof left = []
    for (const removal of left) {
      const [row] = await transaction(({ run }) => run(removal, []))
      removed += Number(row?.[0])
      if (Number(row?.[0]) === mostRows) full.push(removal)
    }
    left = full
  }
  return removed
}

/** Statements that each remove up to `mostRows` rows and return how many. */
const removals = (config: Retention): string[] => [
  ...Object.entries(expiredRows(config)).map(([table, condition]) => {
    const doomed = `select ctid from table_control.${table} where ${condition} limit ${mostRows} for update skip locked`
    const text = `delete from table_control.${table} where ctid = any(array(${doomed}))`
    return `with gone as (${text} returning true) select count(*)::int from gone`
  }),
  // The functions may only add to the audit; this function of the owner's removes what is old.
  `select table_control.remove_old_audit(${config.AUDIT_DAYS}, ${mostRows})`,
]

// A link that is being extended at this moment is locked, and left for the next sweep.
const marking = `with expired as (select id as of from table_control.downloads
    where expires_at < now() order by expires_at limit ${mostFiles} for update skip locked)
  update table_control.downloads set revoked_at = coalesce(revoked_at, now())
  from expired where id = expired.of returning id`

// Links of one file can be extended one by one, so the object stays until its last link can be extended no more.
const files = `select id, object_key, exists (select from table_control.downloads other
    where other.object_key = ended.object_key and (other.expires_at >= now() or other.revoked_at is null))
  from table_control.downloads ended where id = any($1::uuid[])`

const removal = 'delete from table_control.downloads where id = any($1::uuid[])'

/**
 * Removes expired links, and each file with its last link, for twenty seconds at most. Links are revoked first, so that none is
 * extended any more; rows go last, so that no file is ever without a row that refers to it.
 */
export async function removeExpiredFiles(service: SweepService): Promise<number> {
  if (service.config.REPORT_BUCKET === undefined) return 0
  const end = performance.now() + mostMs
  let removed = 0
  let some: number
  do {
    some = await removeSomeFiles(service)
    removed += some
  } while (some === mostFiles && performance.now() < end)
  return removed
}

async function removeSomeFiles({ config, database }: SweepService): Promise<number> {
  const marked = await database.transaction(({ run }) => run(marking, []))
  // Only after that commit: of two sweeps that each revoke a link of one file, one sees both.
  const ended = (await database.read(files, [marked.map(([id]) => String(id))])).map(([id, key, isShared]) => ({
    ...{ id: String(id), key: String(key), isShared: isShared === true },
  }))
  for (let start = 0; start < ended.length; start += filesAtOnce) {
    const some = ended.slice(start, start + filesAtOnce)
    const keys = new Set(some.flatMap(({ key, isShared }) => (isShared ? [] : [key])))
    await Promise.all([...keys].map((key) => removeObject(config, key)))
    await database.transaction(({ run }) => run(removal, [some.map(({ id }) => id)]))
  }
  return marked.length
}
