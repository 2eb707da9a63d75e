import PostalMime from 'postal-mime'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { nora, startJobInstallation } from '../support/jobs/job-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())
recordLog()
afterEach(() => jobs.mail.faults.clear())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const toAda = { ...small, emails: ['ada@example.test'] }

/** A person of each test, so that its mails are found by their address. */
let people = 0
function person(claims: Partial<TestIdentity> = {}): TestIdentity & { readonly email: string } {
  people += 1
  return { ...nora, sub: `person-${people}`, email: `person-${people}@example.test`, ...claims }
}

const mailsTo = (address: string) =>
  Promise.all(
    jobs.mail
      .envelopes()
      .filter(({ destinations }) => destinations.includes(address))
      .map(({ raw }) => PostalMime.parse(raw)),
  )

async function ask(as: TestIdentity, body: object = toAda, language = 'en'): Promise<string> {
  const { json } = await jobs.post('bulk-table-action/parcels/mail_report', body, { as, headers: { ln: language } })
  return json.job.id
}

const mailRow = async (id: string) =>
  (await jobs.sql`select state, code, attempts from table_control.failure_mails where job_id = ${id}`)[0]
const due = (id: string) => jobs.sql`update table_control.failure_mails
  set not_before = null, enqueued_at = now() - interval '3 minutes' where job_id = ${id}`

describe('the owner of an e-mail job that failed', () => {
  it.each([
    ['en', /^Parcels – Not delivered: .+ – \d/, 'did not accept', 'Download the file by the link below', 'ltr'],
    ['ar', /لم يُسلَّم:/, 'لم تقبل', 'نزّل الملف من الرابط أدناه', 'rtl'],
  ])('reads in %s why, what to do, and where the file is', async (language, subject, reason, advice, direction) => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'ada@example.test' })
    const id = await ask(as, toAda, language)
    await jobs.work([id])
    const [mail, ...more] = await mailsTo(as.email)
    expect(more).toEqual([])
    expect(mail?.subject).toMatch(subject)
    expect(mail?.text).toContain(reason)
    expect(mail?.text).toContain(advice)
    expect(mail?.html).toContain(`dir="${direction}"`)
    const { request_id } = (await jobs.sql`select request_id from table_control.jobs where id = ${id}`)[0] ?? {}
    expect(mail?.text).toContain(request_id)
    const [url = ''] = /https:\/\/\S+\/downloads\/\S{72}/.exec(mail?.text ?? '') ?? []
    const { status } = await jobs.request({ method: 'GET', path: new URL(url).pathname }, { as: null })
    expect(status).toBe(302)
  })

  it('gets one mail, even if the job and its mail are processed several times', async () => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'ada@example.test' })
    const id = await ask(as)
    await Promise.all([jobs.work([id, id]), jobs.work([id])])
    await due(id)
    await jobs.sweep()
    await Promise.all([jobs.work([id]), jobs.work([id, id])])
    expect(await mailsTo(as.email)).toHaveLength(1)
    expect(await mailRow(id)).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('gets the mail when the attempts have run out', async () => {
    const as = person()
    const id = await ask(as)
    await jobs.sql`update table_control.jobs set attempts = 4 where id = ${id}`
    await jobs.work([id])
    expect(await jobs.job(id, as)).toMatchObject({ status: 'failed', code: 'internal_error' })
    const [mail] = await mailsTo(as.email)
    expect(mail?.text).toContain('send the reference below to your administrator')
  })

  it('gets the mail when no worker came for a day', async () => {
    const as = person()
    const id = await ask(as)
    await jobs.sql`update table_control.jobs set created_at = now() - interval '25 hours' where id = ${id}`
    await jobs.sweep()
    expect(await mailsTo(as.email)).toEqual([])
    await jobs.work([id])
    expect(await mailsTo(as.email)).toHaveLength(1)
  })

  it('gets the mail from the next worker if the one that ended the job has died', async () => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'ada@example.test' })
    const id = await ask(as)
    // The job ends as if its worker were killed right behind the commit.
    await jobs.sql`create function hold() returns trigger language plpgsql as
      $$ begin new.not_before = now() + interval '1 hour'; return new; end $$`
    await jobs.sql`create trigger hold before insert on table_control.failure_mails for each row execute function hold()`
    await jobs.work([id])
    await jobs.sql`drop trigger hold on table_control.failure_mails`
    await jobs.sql`drop function hold`
    expect(await mailsTo(as.email)).toEqual([])
    await due(id)
    await jobs.sweep()
    await jobs.work([id])
    expect(await mailsTo(as.email)).toHaveLength(1)
  })

  it('is not written to again where a worker died while it sent the mail', async () => {
    const as = person()
    const id = await ask(as)
    await jobs.sql`update table_control.jobs set attempts = 4 where id = ${id}`
    await jobs.sql`insert into table_control.failure_mails (job_id, address, state, updated_at)
      values (${id}, ${as.email}, 'sending', now() - interval '6 minutes')`
    await jobs.work([id])
    await jobs.sweep()
    await jobs.work([id])
    expect(await mailsTo(as.email)).toEqual([])
    expect(await mailRow(id)).toMatchObject({ state: 'unknown', code: 'interrupted' })
  })

  it('gets the mail later if SES asks for time', async () => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'ada@example.test' })
    jobs.mail.faults.add({ code: 'Throttling', recipient: as.email })
    const id = await ask(as)
    await jobs.work([id])
    expect(await mailRow(id)).toMatchObject({ state: 'pending', code: 'Throttling' })
    await jobs.work([id])
    expect(await mailsTo(as.email)).toEqual([])
    await due(id)
    await jobs.work([id])
    expect(await mailsTo(as.email)).toHaveLength(1)
  })

  it('learns that one of several recipients got nothing', async () => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const id = await ask(as, { ...small, emails: ['ada@example.test', 'bob@example.test'] })
    await jobs.work([id])
    const [mail] = await mailsTo(as.email)
    expect(mail?.text).toContain('bob@example.test')
    expect(mail?.text).not.toContain('ada@example.test')
  })

  it.each([
    ['whose report was sent', {}, undefined],
    ['without an address of their own', { email_verified: false }, 'ada@example.test'],
  ])('%s gets no such mail', async (_who, claims, refused) => {
    const as = person(claims)
    if (refused !== undefined) jobs.mail.faults.add({ code: 'MessageRejected', recipient: refused })
    const id = await ask(as)
    await jobs.work([id])
    await jobs.sweep()
    expect(await mailsTo(as.email)).toEqual([])
    expect(await mailRow(id)).toBeUndefined()
  })

  it('is not written to at an address that SES has just refused', async () => {
    const as = person()
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: as.email })
    const id = await ask(as, small)
    await jobs.work([id])
    expect(await jobs.job(id, as)).toMatchObject({ status: 'failed' })
    expect(await mailRow(id)).toBeUndefined()
  })

  it('gets no such mail of a job that they cancelled', async () => {
    const as = person()
    const id = await ask(as)
    await jobs.post(`jobs/${id}/cancel`, {}, { as })
    await jobs.work([id])
    expect(await mailRow(id)).toBeUndefined()
  })
})
