import PostalMime from 'postal-mime'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { nora, sami, startJobInstallation } from '../support/jobs/job-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())
recordLog()
afterEach(() => jobs.mail.faults.clear())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const emails = ['ada@example.test', 'bob@example.test']

/** Runs a job that mails links, and returns its id with the link that each recipient got. */
async function mailLinks() {
  const id = await jobs.ask('parcels/mail_large_file', { ...small, emails })
  await jobs.work([id])
  const mails = jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)
  const links = await Promise.all(
    mails.map(async ({ destinations, raw }) => {
      const { text = '' } = await PostalMime.parse(raw)
      return [destinations[0] ?? '', /https:\/\/\S+\/downloads\/\S{72}/.exec(text)?.[0] ?? ''] as const
    }),
  )
  return { id, links: new Map(links) }
}

const list = async (job: string, as = nora) => (await jobs.get(`downloads?job=${job}`, { as })).json.items
const opens = async (url = '') =>
  (await jobs.request({ method: 'GET', path: new URL(url).pathname }, { as: null })).status

describe('the links of a mailed file', () => {
  it('are one for each recipient, and listed for the requester only', async () => {
    const { id, links } = await mailLinks()
    expect([...links.keys()].sort()).toEqual(emails)
    expect(new Set(links.values()).size).toBe(2)
    const items: readonly { readonly recipient: string; readonly table: string; readonly action: string }[] =
      await list(id)
    expect(items.map(({ recipient }) => recipient).sort()).toEqual(emails)
    expect(items[0]).toMatchObject({ table: 'parcels', action: 'mail_large_file', job_id: id })
    expect(await list(id, sami)).toEqual([])
  })

  it('are revoked one by one by the requester', async () => {
    const { id, links } = await mailLinks()
    const items: readonly { readonly id: string; readonly recipient: string }[] = await list(id)
    const adas = items.find(({ recipient }) => recipient === 'ada@example.test')?.id
    expectFailure(await jobs.post(`downloads/${adas}/revoke`, {}, { as: sami }), {
      status: 404,
      code: 'download_not_found',
    })
    expect((await jobs.post(`downloads/${adas}/revoke`)).status).toBe(200)
    expect(await opens(links.get('ada@example.test'))).toBe(404)
    expect(await opens(links.get('bob@example.test'))).toBe(302)
  })

  it('are not listed for a recipient whose mail was refused', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const { id } = await mailLinks()
    const items: readonly { readonly recipient: string | null }[] = await list(id)
    expect(items.map(({ recipient }) => recipient)).toEqual([null, 'ada@example.test'])
  })

  it('lead to one stored file', async () => {
    const { id } = await mailLinks()
    const keys = await jobs.sql`select distinct object_key from table_control.downloads where job_id = ${id}`
    expect(keys).toHaveLength(1)
  })
})

describe('the link of a live export', () => {
  async function exportRows() {
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    return { id, result: (await jobs.job(id)).result }
  }

  it('works for as long as links in mails do, and as the job says', async () => {
    const { result } = await exportRows()
    expect(Date.parse(result.data.expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(await opens(result.url)).toBe(302)
  })

  it('has the end in its job to which it was extended', async () => {
    const { id, result } = await exportRows()
    const { json } = await jobs.post(`downloads/${result.data.download_id}/extend`, { days: 30 })
    const { result: later } = await jobs.job(id)
    expect(later.data.expires_at).toBe(json.download.expires_at)
    expect(later.url).toBe(result.url)
  })

  it.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = now() - interval '1 second'"],
    ['removed', undefined],
  ])('is no longer in its job once it is %s', async (_how, change) => {
    const { id, result } = await exportRows()
    const where = `where id = '${result.data.download_id}'`
    await jobs.sql.unsafe(
      change === undefined
        ? `delete from table_control.downloads ${where}`
        : `update table_control.downloads set ${change} ${where}`,
    )
    const { result: later } = await jobs.job(id)
    expect(later).toMatchObject({ rows: 10, file_name: result.file_name })
    expect(JSON.stringify(later)).not.toContain('/downloads/')
  })
})
