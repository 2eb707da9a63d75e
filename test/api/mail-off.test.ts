import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { fixtureClaims } from '../support/fixtures/identities.ts'
import { linesTable } from '../support/fixtures/lines-tables.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
afterAll(() => api.stop())
const withoutMail = api.variant({ MAIL: 'off' })

const send = (body: object) => withoutMail.post('bulk-table-action/lines/send_report', body)

describe('a service that sends no mails', () => {
  it('offers no action that sends one', async () => {
    const offered = async (from: typeof withoutMail) =>
      (await from.get('load-table/lines')).json.bulkActions.map((entry: { action_key: string }) => entry.action_key)
    expect(await offered(api)).toContain('send_report')
    expect(await offered(withoutMail)).toEqual((await offered(api)).filter((key: string) => key !== 'send_report'))
  })

  it('describes no action that sends one', async () => {
    const registry = createRegistry([linesTable], { claims: fixtureClaims })
    const describing = await startFixtureApi()
    onTestFinished(describing.stop)
    const describeActions = async (MAIL: string) =>
      (await describing.variant({ MAIL }, registry).get('openapi.json')).text.replaceAll(/\s/g, '')
    expect(await describeActions('on')).toContain('"send_report"')
    expect(await describeActions('off')).toContain('"pushed_report"')
    expect(await describeActions('off')).not.toContain('"send_report"')
  })

  it.each([{ emails: ['b@example.test'] }, { dry_run: true }, {}])('refuses one at once: %j', async (body) => {
    const answer = await send(body)
    expectFailure(answer, { status: 422, code: 'mail_off' })
    expect(answer.json.errors).toEqual([
      'This service sends no e-mail; use another action',
      'لا ترسل هذه الخدمة بريدًا إلكترونيًا؛ استخدم إجراءً آخر',
    ])
    expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
  })

  it('names another action for an export of too many rows', async () => {
    const answer = await withoutMail.post('bulk-table-action/lines/export_csv')
    expectFailure(answer, { status: 422, code: 'export_too_large' })
    expect(answer.json.errors[0]).toMatch(/narrow the filters or use "notified_report"$/)
  })
})
