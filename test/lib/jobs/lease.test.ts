import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { endJob } from '../../../lib/jobs/end-job.ts'
import type { JobProgress } from '../../../lib/jobs/job.ts'
import { cancelledEnding } from '../../../lib/jobs/job-endings.ts'
import { beginSending } from '../../../lib/jobs/job-mails.ts'
import { claimJob, requeueJob } from '../../../lib/jobs/job-store.ts'
import { keepLease } from '../../../lib/jobs/lease.ts'
import { markSent } from '../../../lib/jobs/mail-store.ts'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'
import { hurryReports, parcelCount } from '../../support/jobs/job-tables.ts'
import { openDatabase } from '../db/open-database.ts'

const jobs = await startJobInstallation()
const { database } = jobs.service
const address = 'nora@example.test'

/** A job of one mail, claimed by this test. */
async function claimMail() {
  const id = await jobs.ask('parcels/mail_report', { selected_ids: [1] })
  const job = await claimJob(database, id)
  if (job === undefined) throw new Error('the job was not claimed')
  return { id, job, recipients: async () => (await jobs.job(id)).recipients }
}

const limits = { remainingMs: () => 900_000 }
afterAll(() => jobs.stop())

describe('a worker that has lost its lease', () => {
  it('undoes the chunk that it is in, and does nothing more', async () => {
    const id = await jobs.ask('slow/wait')
    const slow = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.later(id)
    await jobs.work([id])
    expect(await slow).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
  })

  it('sends nothing, because the worker that has taken over the job sends it', async () => {
    const id = await jobs.ask('slow/mail_report')
    const slow = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.later(id)
    using _ = hurryReports()
    await Promise.all([slow, jobs.work([id])])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(jobs.mail.envelopes()).toHaveLength(1)
  })

  it('stores nothing: no mail, no result, no end and no retry', async () => {
    const id = await jobs.ask('parcels/mail_report', { selected_ids: [1] })
    const late = await claimJob(database, id)
    expect(await claimJob(database, id)).toBeUndefined()
    await jobs.later(id)
    const holder = await claimJob(database, id)
    if (late === undefined || holder === undefined) throw new Error('the job was not claimed')
    const states = async () => (await jobs.job(id)).recipients
    await expect(beginSending(database, late, address)).rejects.toMatchObject({ reason: 'lost' })
    expect(await states()).toEqual([{ address, status: 'pending' }])
    await beginSending(database, holder, address)
    await markSent(database, late, address, { outcome: 'sent', messageId: 'late' })
    expect(await states()).toEqual([{ address, status: 'sending' }])
    const decide = (_: unknown, progress: JobProgress) => cancelledEnding(late, { en: '', ar: '' }, progress)
    const ending = endJob(jobs.service, late, decide, { untried: 'cancelled' })
    await expect(ending).rejects.toMatchObject({ reason: 'lost' })
    expect(await requeueJob(database, late, 0)).toBe(false)
    expect(await jobs.job(id)).toMatchObject({ status: 'running', finished_at: null })
    await expect(beginSending(database, holder, address)).rejects.toMatchObject({ reason: 'lost' })
  })

  it('starts no mail, even if no other worker has taken the job over', async () => {
    const { id, job, recipients } = await claimMail()
    await jobs.later(id)
    await expect(beginSending(database, job, address)).rejects.toMatchObject({ reason: 'lost' })
    expect(await recipients()).toEqual([{ address, status: 'pending' }])
  })
})

describe('the signal of a lease', () => {
  it('aborts when the job is cancelled', async () => {
    const { id, job } = await claimMail()
    const lease = keepLease(database, job, limits)
    await jobs.sql`update table_control.jobs set cancel_requested = true where id = ${id}`
    lease.progress(1, 2)
    await lease.release()
    expect(lease.signal.reason).toMatchObject({ reason: 'cancelled' })
  })

  it('aborts when another worker has taken the job over', async () => {
    const { id, job } = await claimMail()
    const lease = keepLease(database, job, limits)
    await jobs.later(id)
    await claimJob(database, id)
    lease.progress(1, 2)
    await lease.release()
    expect(lease.signal.reason).toMatchObject({ reason: 'lost' })
  })

  it('aborts when the database cannot be reached until the lease has ended', async () => {
    const { job } = await claimMail()
    const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none')
    const lease = keepLease(unreachable, job, limits)
    lease.progress(1, 2)
    await lease.release()
    expect(lease.signal.aborted).toBe(false)
    const awake = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => awake() + 61_000)
    onTestFinished(() => void vi.restoreAllMocks())
    const later = keepLease(unreachable, job, limits)
    vi.spyOn(performance, 'now').mockImplementation(() => awake() + 122_000)
    later.progress(1, 2)
    await later.release()
    expect(later.signal.reason).toMatchObject({ reason: 'lost' })
  })

  it('aborts when the function has no time left', async () => {
    const { job } = await claimMail()
    const lease = keepLease(database, job, { remainingMs: () => 59_000 })
    await lease.release()
    expect(lease.signal.reason).toMatchObject({ reason: 'deadline' })
  })
})
