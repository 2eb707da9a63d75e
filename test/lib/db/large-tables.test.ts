import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { places } from '../../../infra/erase/statements.ts'
import type { Run } from '../../../lib/db/transaction.ts'
import { holding, nextJob, release } from '../../../lib/jobs/job-store.ts'
import { removeExpired } from '../../../lib/jobs/sweep-expired.ts'
import { pageText } from '../../../lib/operations/list-notifications.ts'
import { readNext } from '../../../lib/operations/read-notifications.ts'
import { listOwnDownloads } from '../../../lib/storage/own-downloads.ts'
import { observeStatements } from '../../support/database/observe-statements.ts'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'
import { parcelCount } from '../../support/jobs/job-tables.ts'
import { queuedMessages } from '../../support/jobs/queued-jobs.ts'

const jobs = await startJobInstallation({ RUNNING_JOBS_PER_CALLER: '1' })
afterAll(() => jobs.stop())
// While an automatic analysis runs, a vacuum cannot remove the rows that were deleted since it began.
for (const table of ['jobs', 'job_chunks', 'notifications', 'downloads'])
  await jobs.sql.unsafe(`alter table table_control.${table} set (autovacuum_enabled = off)`)
beforeEach(async () => {
  await jobs.sql`delete from table_control.jobs`
  await queuedMessages(jobs.queue)
})

const rethrow = (error: unknown) => {
  throw error
}

const unknown = '00000000-0000-0000-0000-000000000000'
const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }

/** Adds copies of a job, in which some columns differ. */
const copyJob = (id: string, count: number, columns: string) =>
  jobs.sql.unsafe(
    `insert into table_control.jobs select copy.* from table_control.jobs job,
      (select gen_random_uuid() as id, n from generate_series(1, ${count}) n) other,
      jsonb_populate_record(job, jsonb_build_object('id', other.id, ${columns})) copy where job.id = $1`,
    [id],
  )

/**
 * Counts the rows of a table that the functions read, whether a statement finds them or filters them out. An empty
 * sequence counts as one.
 */
async function countReads(table: string) {
  await jobs.sql.unsafe(`create sequence read_rows;
    grant usage on sequence read_rows to public;
    alter table table_control.${table} enable row level security;
    create policy counted on table_control.${table} using (nextval('read_rows') > 0) with check (true)`)
  return {
    count: async () => Number((await jobs.sql`select last_value from read_rows`)[0]?.['last_value']),
    [Symbol.asyncDispose]: async () => {
      await jobs.sql.unsafe(`drop policy counted on table_control.${table};
        alter table table_control.${table} disable row level security; drop sequence read_rows`)
    },
  }
}

/** Runs the only statement of some work by a plan of this kind, and returns how many blocks it read. */
async function countBlocks(work: (run: Run) => Promise<unknown>, plan = 'custom'): Promise<number> {
  let count = Number.NaN
  await jobs.sql.begin(async (sql) => {
    const run: Run = async (text, parameters = []) => {
      const values = parameters.map((value) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`))
      await sql.unsafe(`set local plan_cache_mode = force_${plan}_plan; prepare counted as ${text}`)
      const [row] = await sql.unsafe(
        `explain (analyze, buffers, format json) execute counted ${values.length > 0 ? `(${values.join(', ')})` : ''}`,
      )
      await sql`deallocate counted`
      count = row?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']
      return []
    }
    await work(run)
  })
  return count
}

describe('a job of many chunks', () => {
  it.each(['move', 'move_all_or_none'])('reads each of them a few times: %s', async (action) => {
    const id = await jobs.ask(`parcels/${action}`)
    await using reads = await countReads('job_chunks')
    await jobs.work([id])
    const chunkCount = parcelCount / 100
    expect(await reads.count()).toBeLessThan(6 * chunkCount)
  })
})

describe('among thousands of waiting jobs', () => {
  /** Adds one that waits with or without a message, behind 2,000 of the same caller for which it is the other way. */
  const fill = async (isHeld: boolean) => {
    const id = await jobs.ask('parcels/push_report', small)
    await copyJob(id, 2_000, `'held', ${!isHeld}, 'created_at', now() - interval '1 hour'`)
    await copyJob(id, 8_000, "'state', 'succeeded'")
    await jobs.sql`update table_control.jobs set held = ${isHeld} where id = ${id}`
    await jobs.sql`vacuum analyze table_control.jobs`
  }

  it('the next one is found without reading all of each caller', async () => {
    const id = await jobs.ask('parcels/push_report', small)
    await copyJob(id, 20_000, "'state', 'succeeded', 'subject', 'user ' || n % 10, 'started_at', now()")
    await copyJob(id, 1_000, "'subject', 'user ' || n % 10")
    await jobs.sql`vacuum analyze table_control.jobs`
    const blocks = await countBlocks((run) => run(nextJob.replaceAll('$3', '$2'), [unknown, null]))
    expect(blocks).toBeLessThan(300)
  })

  it('the only one with a message is found without reading the others', async () => {
    await fill(false)
    expect(await countBlocks((run) => run(holding, [unknown]))).toBeLessThan(50)
  })

  it('the only one without a message is found without reading the others', async () => {
    await fill(true)
    expect(await countBlocks((run) => run(release, ['nora']))).toBeLessThan(50)
  })
})

describe('among thousands of links of one requester', () => {
  const fill = async () => {
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    await jobs.sql`insert into table_control.downloads select copy.* from table_control.downloads link,
        (select gen_random_uuid() as id, n, now() - n * interval '1 second' as at from generate_series(1, 10000) n) other,
        jsonb_populate_record(link, jsonb_build_object('id', other.id, 'job_id', other.id, 'created_at', other.at,
          'subject', case when n % 2 = 0 then 'nora' else 'user ' || n % 100 end)) copy
      where link.job_id = ${id}`
    await jobs.sql`analyze table_control.downloads`
    return id
  }

  it('those of one job are found without reading the others', async () => {
    const page = { jobId: await fill(), before: undefined, limit: 50 }
    expect(await countBlocks((run) => listOwnDownloads(run, 'nora', page))).toBeLessThan(10)
  })

  it.each(['custom', 'generic'])('the newest are found without reading the others: by a %s plan', async (plan) => {
    await fill()
    const page = { jobId: undefined, before: undefined, limit: 50 }
    expect(await countBlocks((run) => listOwnDownloads(run, 'nora', page), plan)).toBeLessThan(100)
  })
})

describe('among thousands of notifications', () => {
  /** Adds 20,000 of nora, of which half are unread, and 10,000 of others that are newer. */
  const fill = async () => {
    await jobs.sql`delete from table_control.notifications`
    await jobs.sql`insert into table_control.notifications (subject, title, body, level, data, read_at)
      select case when n <= 20000 then 'nora' else 'user ' || n % 100 end, '{}', '{}', 'info', '{}', case when n % 2 > 0 then now() end
      from generate_series(1, 30000) n`
    await jobs.sql`vacuum analyze table_control.notifications`
  }

  it.each(['custom', 'generic'])(
    'the newest of a caller are found without reading others: by a %s plan',
    async (plan) => {
      await fill()
      const blocks = await countBlocks((run) => run(pageText(false), ['nora', 0, 2 ** 40, 51]), plan)
      expect(blocks).toBeLessThan(50)
    },
  )

  it.each([
    ['listed', pageText(true), [0, 2 ** 40, 51]],
    ['marked', readNext, [2 ** 40]],
  ])('the last unread one of a caller is %s without reading others', async (_, text, parameters) => {
    await fill()
    await jobs.sql`update table_control.notifications set read_at = now()
      where subject = 'nora' and id > (select min(id) + 1 from table_control.notifications)`
    await jobs.sql`vacuum table_control.notifications`
    expect(await countBlocks((run) => run(text, ['nora', ...parameters]))).toBeLessThan(50)
  })
})

describe('the command erase', () => {
  it.each(places.filter(({ from }) => from === 'notifications' || from === 'plans'))(
    'reads no jobs but those of the rows that it erases: $name',
    async ({ from, where, takes }) => {
      const id = await jobs.ask('parcels/push_report', small)
      await copyJob(id, 5_000, "'state', 'succeeded'")
      // Deleted rows would leave their pages, which the statement reads from the first one on.
      await jobs.sql`truncate table_control.notifications`
      await jobs.sql`insert into table_control.notifications (subject, title, body, level, data, dedupe_key)
        select 'nora', '{}', '{}', 'info', '{}', 'job:' || id from table_control.jobs limit 2`
      await jobs.sql`insert into table_control.plans (subject, guard, table_name, action, kind, params, request, rows, expires_at)
        values ('nora', 'api', 'parcels', 'move', 'bulk', '', '{}', '{}', now())`
      await jobs.sql`vacuum analyze table_control.jobs, table_control.notifications`
      const parameters = takes === 'row' ? ['parcels', '1'] : ['parcels']
      const text = `select from (select * from table_control.${from} limit 10) ${from} where ${where}`
      expect(await countBlocks((run) => run(text, parameters))).toBeLessThan(50)
    },
  )
})

it('each large table that loses rows is vacuumed after a fiftieth of them', async () => {
  const tables = await jobs.sql`select relname from pg_class where relnamespace = 'table_control'::regnamespace
    and 'autovacuum_vacuum_scale_factor=0.02' = any(reloptions)`
  const large = [
    'audit',
    'cell_changes',
    'downloads',
    'idempotency_keys',
    'job_chunks',
    'job_events',
    'job_recipients',
    'jobs',
  ]
  expect(tables.map(({ relname }) => relname).sort()).toEqual([...large, 'notifications'])
})

describe('the sweep', () => {
  const statements: string[] = []
  /** Returns the statement with which the sweep removes rows of a table. */
  const findRemoval = async (table: string): Promise<string> => {
    const database = observeStatements(jobs.service.database, statements)
    await removeExpired({ ...jobs.service, database }, rethrow)
    return statements.find((text) => text.includes(`delete from table_control.${table} `)) ?? ''
  }

  it('reads no chunk of a job that has ended within a day', async () => {
    const id = await jobs.ask('parcels/move')
    await jobs.work([id])
    await copyJob(id, 3_000, "'finished_at', now() - interval '2 days', 'chunks_removed', true")
    await jobs.sql`insert into table_control.job_chunks (job_id, position, keys) select ${id}, n, '[]' from generate_series(100, 20000) n`
    await jobs.sql`vacuum analyze table_control.jobs, table_control.job_chunks`
    const removal = await findRemoval('job_chunks')
    expect(await countBlocks((run) => run(removal, []))).toBeLessThan(50)
  })

  it('finds no expired row without reading the others, although Postgres expects many', async () => {
    await jobs.sql`insert into table_control.notifications (subject, title, body, level, data, created_at)
      select 'nora', '{}', '{}', 'info', '{}', now() - ('x' || md5(n::text))::bit(6)::int * interval '2 days' from generate_series(1, 20000) n`
    await jobs.sql`analyze table_control.notifications`
    await jobs.sql`delete from table_control.notifications where created_at < now() - interval '89 days'`
    await jobs.sql`vacuum table_control.notifications`
    const removal = await findRemoval('notifications')
    expect(await countBlocks((run) => run(removal, []))).toBeLessThan(50)
  })

  it('removes the chunks of all jobs that have ended before, and looks for them no more', async () => {
    const id = await jobs.ask('parcels/move')
    await copyJob(id, 1_200, "'state', 'failed', 'finished_at', now() - interval '25 hours'")
    await jobs.sql`insert into table_control.job_chunks (job_id, position, keys)
      select id, position, '[]' from table_control.jobs, generate_series(1, 2) as position where state = 'failed'`
    const count = async () => Number((await jobs.sql`select count(*) from table_control.job_chunks`)[0]?.['count'])
    for (let before = 0; before !== (await count()); ) {
      before = await count()
      await jobs.sweep()
    }
    expect(await count()).toBe(32)
    await jobs.sweep()
    expect(await jobs.sql`select state, chunks_removed, count(*)::int from table_control.jobs group by 1, 2`).toEqual(
      expect.arrayContaining([
        { state: 'queued', chunks_removed: false, count: 1 },
        { state: 'failed', chunks_removed: true, count: 1_200 },
      ]),
    )
  })
})
