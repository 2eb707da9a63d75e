import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { nextJob } from '../../lib/jobs/job-store.ts'
import { type JobInstallation, nora, sami, startJobInstallation } from '../support/jobs/job-installation.ts'
import { holdChunks } from '../support/jobs/job-tables.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'

const jobs = await startJobInstallation({ RUNNING_JOBS_PER_CALLER: '1' })
afterAll(() => jobs.stop())
beforeEach(async () => {
  await jobs.sql`delete from table_control.jobs`
  await queuedMessages(jobs.queue)
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const ask = (as: typeof nora, count = 1) =>
  Promise.all(Array.from({ length: count }, () => jobs.ask('parcels/push_report', small, as)))

const states = async (ids: readonly string[]) => {
  const rows = await jobs.sql`select id, state, attempts from table_control.jobs where id = any(${[...ids]})`
  return ids.map((id) => rows.find((row) => row['id'] === id)?.['state'])
}

const namesOfMessages = async ({ queue }: JobInstallation) =>
  (await queuedMessages(queue)).map((message) => Reflect.get(Object(message), 'job'))

describe('jobs of several callers', () => {
  it('take turns, so that one job runs next although many of another caller came before it', async () => {
    const many = await ask(nora, 5)
    const [own = ''] = await ask(sami)
    const [first = '', second = '', ...others] = many
    await jobs.work([first])
    await jobs.work([second])
    expect(await states([first, own, second])).toEqual(['succeeded', 'succeeded', 'queued'])
    await jobs.work([own, ...others])
    expect(await states(many)).toEqual(Array(5).fill('succeeded'))
  })

  it('run before a job that began long ago and was just put back by a function whose time was over', async () => {
    const [long = ''] = await ask(nora)
    const [first = '', second = ''] = await ask(sami, 2)
    const putBack = () =>
      jobs.sql`update table_control.jobs set started_at = now() - interval '1 hour', enqueued_at = now(), attempts = 1 where id = ${long}`
    await putBack()
    await jobs.work([first])
    await putBack()
    await jobs.work([second])
    expect(await states([first, second, long])).toEqual(['succeeded', 'succeeded', 'queued'])
  })

  it('run once each, in any order and for any number of their messages', async () => {
    const ids = [...(await ask(nora, 4)), ...(await ask(sami, 3))]
    const messages = [...ids, ...ids].sort()
    await Promise.all([jobs.work(messages.slice(0, 7)), jobs.work(messages.slice(7))])
    await jobs.work(await namesOfMessages(jobs))
    const rows = await jobs.sql`select state, attempts from table_control.jobs`
    expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(Array(7).fill(['succeeded', 1]))
    expect(
      await jobs.sql`select count(*)::int from table_control.audit where outcome = 'succeeded' and job_id = any(${ids})`,
    ).toEqual([{ count: 7 }])
  })

  it('wait for a running one of their caller, while those of other callers run', async () => {
    const running = await jobs.ask('slow/wait')
    using held = holdChunks()
    const working = jobs.work([running])
    await jobs.until(running, "state = 'running'")
    const [waiting = ''] = await ask(nora)
    const [own = ''] = await ask(sami)
    await queuedMessages(jobs.queue)
    expect(await jobs.work([waiting])).toEqual({ batchItemFailures: [] })
    expect(await jobs.work([own])).toEqual({ batchItemFailures: [] })
    expect(await states([waiting, own])).toEqual(['queued', 'succeeded'])
    await jobs.post(`jobs/${running}/cancel`)
    held[Symbol.dispose]()
    await working
    const released = await namesOfMessages(jobs)
    expect(released).toEqual([waiting])
    await jobs.work(released)
    expect(await states([waiting])).toEqual(['succeeded'])
  })

  it('wait for the claims of other workers for longer than for a row', async () => {
    const [own = ''] = await ask(nora)
    const claims = jobs.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtext('table_control.claims'))`
      await sql`select pg_sleep(2.5)`
    })
    const isHeld = `exists (select from pg_locks where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database()))`
    await jobs.until(own, isHeld)
    expect(await jobs.work([own])).toEqual({ batchItemFailures: [] })
    await claims
    expect(await states([own])).toEqual(['succeeded'])
  })

  it('are found without reading all that wait, or all that their callers ever had', async () => {
    await ask(sami)
    const [last = ''] = await ask(nora)
    for (const state of ['queued', 'succeeded'])
      await jobs.sql`insert into table_control.jobs select copy.* from table_control.jobs job,
          (select gen_random_uuid() as id from generate_series(1, 3000)) other,
          jsonb_populate_record(job, jsonb_build_object('id', other.id,
            'state', ${state}::text, 'created_at', now() - interval '1 minute', 'started_at', now())) copy
        where job.id = ${last}`
    await jobs.sql`analyze table_control.jobs`
    const text = nextJob.replaceAll('$1', 'null::uuid').replaceAll('$3', 'null')
    const [row] = await jobs.sql.unsafe(`explain (analyze, buffers, format json) ${text}`)
    expect(row?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(100)
  })

  it('do not wait for a worker that has died', async () => {
    const [lost = '', next = ''] = await ask(nora, 2)
    await jobs.sql`update table_control.jobs set state = 'running', attempts = 1, lease_until = now() - interval '1 second'
      where id = ${lost}`
    await jobs.work([next, next])
    expect(await states([lost, next])).toEqual(['succeeded', 'succeeded'])
  })

  it('are found by the sweep if they wait without a message', async () => {
    const [waiting = ''] = await ask(nora)
    await queuedMessages(jobs.queue)
    await jobs.sql`update table_control.jobs set held = true, enqueued_at = now() - interval '3 minutes' where id = ${waiting}`
    await jobs.sweep()
    expect(await namesOfMessages(jobs)).toEqual([waiting])
  })
})
