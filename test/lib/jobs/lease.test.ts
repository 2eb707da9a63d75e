import { afterAll, describe, expect, it } from 'vitest'
import { claimJob } from '../../../lib/jobs/claim-job.ts'
import { endJob } from '../../../lib/jobs/end-job.ts'
import { cancelledEnding } from '../../../lib/jobs/endings.ts'
import { beginSending, endSending } from '../../../lib/jobs/mail-recipients.ts'
import { putBack } from '../../../lib/jobs/put-back.ts'
import type { Reached } from '../../../lib/jobs/reached.ts'
import { startJobInstallation } from '../../support/job-installation.ts'
import { parcelCount } from '../../support/job-tables.ts'

const jobs = await startJobInstallation()
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

  it('sends nothing: who has the job now sends it', async () => {
    const id = await jobs.ask('slow/mail_report')
    const slow = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.later(id)
    await Promise.all([slow, jobs.work([id])])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(jobs.mail.envelopes()).toHaveLength(1)
  })

  it('writes nothing down, at none of the points where it could', async () => {
    const { database } = jobs.service
    const id = await jobs.ask('parcels/mail_report', { selected_ids: [1] })
    const late = await claimJob(database, id)
    expect(await claimJob(database, id)).toBeUndefined()
    await jobs.later(id)
    const holder = await claimJob(database, id)
    if (late === undefined || holder === undefined) throw new Error('the job was not claimed')
    const address = 'nora@example.test'
    const states = async () => (await jobs.job(id)).recipients
    await expect(beginSending(database, late, address)).rejects.toMatchObject({ reason: 'lost' })
    expect(await states()).toEqual([{ address, status: 'pending' }])
    await beginSending(database, holder, address)
    await endSending(database, late, address, { outcome: 'sent', messageId: 'late' })
    expect(await states()).toEqual([{ address, status: 'sending' }])
    const decide = (_: unknown, reached: Reached) => cancelledEnding(late, { en: '', ar: '' }, reached)
    const ending = endJob(jobs.service, late, decide, { untried: 'cancelled' })
    await expect(ending).rejects.toMatchObject({ reason: 'lost' })
    expect(await putBack(database, late, 0)).toBe(false)
    expect(await jobs.job(id)).toMatchObject({ status: 'running', finished_at: null })
    await expect(beginSending(database, holder, address)).rejects.toMatchObject({ reason: 'lost' })
  })
})
