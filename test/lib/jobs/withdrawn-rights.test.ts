import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { nora, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { parcelCount, rolesNow } from '../../support/jobs/job-tables.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

afterEach(async () => {
  rolesNow.clear()
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
  await jobs.sql`delete from grants`
})

const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)
const findNotifications = (id: string) =>
  jobs.sql`select from table_control.notifications where dedupe_key = ${`job:${id}`}`

describe('a right that was withdrawn between request and run', () => {
  const ask = async (action: string) => {
    await jobs.sql`insert into grants values ('nora', 'small'), ('nora', 'large')`
    return jobs.ask(`granted/${action}`, {}, nora)
  }

  it('rows that left the scope are in no report', async () => {
    const id = await ask('mail_report')
    await jobs.sql`delete from grants where depot = 'large'`
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { rows: 10 } })
  })

  it('rows that left the scope are not changed, though they were frozen', async () => {
    const id = await ask('move')
    await jobs.sql`delete from grants where depot = 'large'`
    await jobs.work([id])
    expect(await jobs.sql`select depot, count(*)::int as n from parcels where moves = 1 group by 1`).toEqual([
      { depot: 'small', n: 10 },
    ])
    const { counts, results } = (await jobs.job(id)).result
    expect(counts).toEqual({ selected: parcelCount, succeeded: 10, failed: parcelCount - 10 })
    expect(results[0]).toMatchObject({ code: 'row_not_found' })
  })

  it.each([
    ['who was locked out', undefined, 'forbidden'],
    ['whom a middleware rejects by now', 'suspended', 'forbidden'],
    ['whose rights are those of another subject', 'somebody else', 'forbidden'],
  ])('the job of a caller %s fails', async (_who, role, code) => {
    const id = await ask('mail_report')
    rolesNow.set('nora', role)
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code })
    expect(findMails(id)).toEqual([])
    expect(await findNotifications(id)).toHaveLength(1)
  })

  it('an action that its caller may know of no longer is not run', async () => {
    await jobs.sql`insert into grants values ('mia', 'small')`
    const id = await jobs.ask('granted/of_managers', {}, { ...nora, sub: 'mia', role: 'manager' })
    rolesNow.set('mia', 'clerk')
    await jobs.work([id])
    expect(await jobs.job(id, { ...nora, sub: 'mia' })).toMatchObject({ status: 'failed', code: 'action_not_defined' })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 0 }])
  })
})
