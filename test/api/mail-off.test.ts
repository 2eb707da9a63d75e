import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'
import { createRegistry, createWorkerService, reportWorker, sweep } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { fixtureClaims } from '../support/fixtures/identities.ts'
import { linesTable } from '../support/fixtures/lines-tables.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { nora, startJobInstallation } from '../support/jobs/job-installation.ts'
import { jobRegistry } from '../support/jobs/job-tables.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
const jobs = await startJobInstallation()
const { MAIL_SENDER: _, ...environment } = jobs.environment
const withoutMails = createWorkerService(loadConfig({ ...environment, MAIL: 'off' }))
const workWithoutMail = (ids: readonly string[]) =>
  reportWorker(jobRegistry, () => withoutMails)(jobs.createEvent(ids), { getRemainingTimeInMillis: () => 900_000 })

recordLog()
afterAll(async () => {
  await Promise.all([withoutMails.database.close(), withoutMails.work.close()])
  await jobs.stop()
})
const withoutMail = api.variant({ MAIL: 'off' })

const send = (body: object) => withoutMail.post('bulk-table-action/lines/send_report', body)

describe('a service that sends no mails', () => {
  it('offers no action that sends one', async () => {
    const listOffered = async (from: typeof withoutMail) =>
      (await from.get('load-table/lines')).json.bulkActions.map((entry: { action_key: string }) => entry.action_key)
    expect(await listOffered(api)).toContain('send_report')
    expect(await listOffered(withoutMail)).toEqual(
      (await listOffered(api)).filter((key: string) => key !== 'send_report'),
    )
  })

  it('describes no action that sends one', async () => {
    const registry = createRegistry([linesTable], { claims: fixtureClaims })
    const describeActions = async (MAIL: string) =>
      (await api.variant({ MAIL }, registry).get('openapi.json')).text.replaceAll(/\s/g, '')
    expect(await describeActions('on')).toContain('"send_report"')
    expect(await describeActions('off')).toContain('"pushed_report"')
    expect(await describeActions('off')).not.toContain('"send_report"')
  })

  it.each([{ emails: ['b@example.test'] }, { dry_run: true }, {}])('refuses one at once: %j', async (body) => {
    const response = await send(body)
    expectFailure(response, { status: 422, code: 'mail_off' })
    expect(response.json.errors).toEqual([
      'This service sends no e-mail; use another action',
      'لا ترسل هذه الخدمة بريدًا إلكترونيًا؛ استخدم إجراءً آخر',
    ])
    expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
  })

  it('names none in the hint at what was meant by an unknown action', async () => {
    const messages = async (from: typeof withoutMail) =>
      (await from.post('bulk-table-action/lines/send_repor')).json.errors.join()
    expect(await messages(api)).toContain('use "send_report"')
    expect(await messages(withoutMail)).not.toContain('"send_report"')
  })

  it('names another action for an export of too many rows', async () => {
    const response = await withoutMail.post('bulk-table-action/lines/export_csv')
    expectFailure(response, { status: 422, code: 'export_too_large' })
    expect(response.json.errors[0]).toMatch(/narrow the filters or use "Prepare an export"$/)
  })
})

describe('a job that was queued before MAIL was set to off', () => {
  const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }], emails: ['ada@example.test'] }

  it.each([
    ['move_and_mail', { ...small, by: 1 }],
    ['mail_report', small],
  ])('fails before its action runs, and no mail is sent: %s', async (action, body) => {
    const id = await jobs.ask(`parcels/${action}`, body)
    await workWithoutMail([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'mail_off' })
    expect(await jobs.sql`select from parcels where moves > 0`).toHaveLength(0)
    expect(await jobs.sql`select state, code from table_control.job_recipients where job_id = ${id}`).toEqual([
      { state: 'failed', code: 'mail_off' },
    ])
    expect(await jobs.sql`select from table_control.failure_mails`).toHaveLength(0)
    expect(jobs.mail.envelopes()).toHaveLength(0)
  })

  it('is cancelled if that was requested', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.sql`update table_control.jobs set cancel_requested = true where id = ${id}`
    await workWithoutMail([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'cancelled' })
  })

  it('leaves the mail about its failure unsent until mails are on again', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.sql`update table_control.jobs set state = 'failed', finished_at = now(),
      failure = '{"code": "internal_error", "en": "No", "ar": "لا"}' where id = ${id}`
    await jobs.sql`insert into table_control.failure_mails (job_id, address, created_at)
      values (${id}, ${String(nora.email)}, now() - interval '5 minutes')`
    await sweep(() => withoutMails)()
    await workWithoutMail([id])
    const [waiting] = await jobs.sql`select state, attempts, enqueued_at from table_control.failure_mails`
    expect(waiting).toEqual({ state: 'pending', attempts: 0, enqueued_at: null })
    await jobs.work([id])
    expect(jobs.mail.envelopes().map(({ destinations }) => destinations)).toEqual([[nora.email]])
  })
})
