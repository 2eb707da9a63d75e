import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { parcelCount } from '../support/jobs/job-tables.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const moves = async () => (await jobs.sql`select distinct moves from parcels`).map((row) => row['moves'])
const findNotifications = (id: string) =>
  jobs.sql`select body, level, data from table_control.notifications where dedupe_key = ${`job:${id}`}`
const readAudit = (id: string) =>
  jobs.sql`select rows, outcome from table_control.audit where job_id = ${id} order by id`

recordLog()
beforeEach(async () => {
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
})

describe('a job that fails when a part of it is done', () => {
  it('says so to its owner and in the audit', async () => {
    const id = await jobs.ask('slow/wait')
    const holding = await jobs.sql.reserve()
    await holding`begin`
    await holding`update parcels set moves = moves where id = (select max(id) from parcels)`
    const working = jobs.work([id])
    // The last chunk waits for the row, and so cannot renew the lease.
    await jobs.until(id, `done = ${parcelCount - 400}`)
    await jobs.sql`update table_control.jobs set lease_until = now() - interval '1 second', attempts = 4 where id = ${id}`
    await jobs.work([id])
    await holding`rollback`
    holding.release()
    await working
    const { status, done, total, counts, errors } = await jobs.job(id)
    expect({ status, counts }).toEqual({
      status: 'failed',
      counts: { selected: total, succeeded: done, failed: 0 },
    })
    expect(errors[0]).toContain(`(${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows had been done)`)
    expect(await jobs.sql`select count(*)::int as n from parcels where moves = 1`).toMatchObject([{ n: done }])
    expect(await findNotifications(id)).toMatchObject([{ level: 'danger', data: { counts } }])
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { rows: done, outcome: 'internal_error' }])
  })

  it('counts what was changed, and not what was mailed', async () => {
    jobs.mail.faults.add({ code: 'AccountSendingPausedException' })
    const id = await jobs.ask('parcels/move_and_mail', { ...small, by: 1 })
    await jobs.work([id])
    const counts = { selected: 10, succeeded: 10, failed: 0 }
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'mail_failed', counts })
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { rows: 10, outcome: 'mail_failed' }])
  })
})

describe('a job that runs and is cancelled', () => {
  it('ends after the chunk that it is in, and says how far it came', async () => {
    const id = await jobs.ask('slow/wait')
    const working = jobs.work([id])
    await jobs.until(id, 'done > 0')
    const before = (await jobs.post(`jobs/${id}/cancel`)).json.job
    expect(before).toMatchObject({ status: 'running', cancel_requested: true })
    await working
    const { status, done, cancel_requested, errors, counts } = await jobs.job(id)
    expect({ status, cancel_requested }).toEqual({ status: 'cancelled', cancel_requested: undefined })
    // The chunk that it was in, and none after it.
    expect(done).toBe(before.done + 400)
    expect(await jobs.sql`select count(*)::int as n from parcels where moves = 1`).toMatchObject([{ n: done }])
    const text = `The job was cancelled after ${done.toLocaleString('en')} of ${parcelCount.toLocaleString('en')} rows`
    expect(errors[0]).toBe(text)
    expect(counts).toEqual({ selected: parcelCount, succeeded: done, failed: 0 })
    expect(await findNotifications(id)).toMatchObject([{ level: 'warning', body: { en: text }, data: { counts } }])
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { rows: done, outcome: 'cancelled' }])
  })

  it('ends after its current chunk and changes nothing if it is all or nothing', async () => {
    const id = await jobs.ask('slow/wait_all_or_none')
    const working = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.post(`jobs/${id}/cancel`)
    await working
    expect(await jobs.job(id)).toMatchObject({
      status: 'cancelled',
      done: 0,
      errors: ['The job was cancelled', expect.any(String)],
    })
    expect(await moves()).toEqual([0])
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { rows: 0, outcome: 'cancelled' }])
  })
  it('counts all rows if it is all or nothing and its worker was killed after it had changed them', async () => {
    const id = await jobs.ask('slow/wait_all_or_none', { selected_ids: [1, 2] })
    await jobs.work([id])
    await jobs.sql`update table_control.jobs set state = 'queued', finished_at = null, result = null where id = ${id}`
    await jobs.post(`jobs/${id}/cancel`)
    const counts = { selected: 2, succeeded: 2, failed: 0 }
    expect(await jobs.job(id)).toMatchObject({ status: 'cancelled', counts })
    expect(await findNotifications(id)).toMatchObject([{ level: 'warning', data: { counts } }])
    expect((await readAudit(id)).at(-1)).toEqual({ rows: 2, outcome: 'cancelled' })
  })
})
