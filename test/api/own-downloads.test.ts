import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createLink, storeFile, storeObject } from '../../lib/storage/store-file.ts'
import { exportedBy, startDownloadService } from '../lib/storage/download-service.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, manager, north, south } from '../support/fixtures/identities.ts'

// Requests at once need a connection each.
const api = await startDownloadService({ MAIL_LINK_DAYS: '7', DATABASE_CONNECTIONS: '2' })
afterAll(() => api.stop())
beforeEach(async () => {
  await api.sql`delete from table_control.downloads`
  await api.sql`delete from table_control.audit`
})

const job = '7b8f3a52-2f7a-4a8e-9d3e-222222222222'
const file = { name: 'strikes.csv', contentType: 'text/csv; charset=utf-8', content: Buffer.from('a,b\r\n') }
const days = 86_400_000
const notFound = { status: 404, code: 'download_not_found' } as const

const createStored = (facts: Partial<Parameters<typeof storeFile>[2]> = {}, as = north) =>
  storeFile(api.createOwner(as.sub), file, { minutes: 60, ...exportedBy('report'), ...facts })
const list = async (query = '', as = north) => (await api.get(`downloads${query}`, { as })).json
const opens = async (url: string) =>
  (await api.request({ method: 'GET', path: new URL(url).pathname }, { as: null })).status === 302
const createToken = (url: string) => url.slice(url.lastIndexOf('/') + 1)

describe('the list of links', () => {
  it('shows for each link its file, the action that made it, and the recipients of the mail', async () => {
    const { url, download_id, expires_at } = await createStored({ jobId: job, recipient: 'dana@example.test' })
    const { items, next } = await list()
    expect(next).toBe(null)
    expect(items).toEqual([
      {
        id: download_id,
        url,
        filename: 'strikes.csv',
        content_type: file.contentType,
        bytes: file.content.length,
        table: 'parcels',
        action: 'report',
        job_id: job,
        recipient: 'dana@example.test',
        created_at: expect.stringMatching(/Z$/),
        expires_at,
        revoked_at: null,
      },
    ])
  })

  it('has a URL that works', async () => {
    await createStored()
    const { items } = await list()
    expect(await opens(items[0].url)).toBe(true)
  })

  it.each([colleague, south])('never shows the links of another caller', async (as) => {
    await createStored()
    expect((await list('', as)).items).toEqual([])
  })

  it('leaves out links that have expired, and keeps revoked ones without a URL', async () => {
    await createStored({ minutes: -1 })
    const { download_id } = await createStored()
    await api.post(`downloads/${download_id}/revoke`)
    const { items } = await list()
    expect(items).toMatchObject([{ id: download_id, url: null, revoked_at: expect.stringMatching(/Z$/) }])
  })

  it('selects the links of one job', async () => {
    await createStored()
    const { download_id } = await createStored({ jobId: job })
    const { items } = await list(`?job=${job}`)
    expect(items.map(({ id }: { readonly id: string }) => id)).toEqual([download_id])
  })

  it('pages through all links, newest first, without repeating or skipping one', async () => {
    const made: string[] = []
    for (let count = 0; count < 7; count++) made.push((await createStored()).download_id)
    await api.sql`update table_control.downloads set created_at = '2026-01-01' where id in ${api.sql(made.slice(0, 4))}`
    const seen: string[] = []
    let query = '?limit=3'
    for (;;) {
      const { items, next } = await list(query)
      seen.push(...items.map(({ id }: { readonly id: string }) => id))
      if (next === null) break
      query = `?limit=3&before=${next}`
    }
    expect(seen.slice(0, 3)).toEqual(made.slice(4).reverse())
    expect([...seen].sort()).toEqual([...made].sort())
  })

  it.each(['limit=0', 'limit=101', 'limit=x', 'before=x', 'before=1.x', 'job=x'])('refuses %s', async (query) => {
    const response = await api.get(`downloads?${query}`)
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(Object.keys(response.json.fields)).toEqual([query.split('=')[0]])
  })

  it('needs a token', async () => {
    expectFailure(await api.get('downloads', { as: null }), { status: 401, code: 'unauthenticated' })
  })
})

describe('extending a link', () => {
  const extend = (id: string, body: object = {}, as = north) => api.post(`downloads/${id}/extend`, body, { as })
  const daysLeft = (at: string) => (Date.parse(at) - Date.now()) / days

  it.each([
    ['as long as links in mails do', {}, 7],
    ['so many days', { days: 30 }, 30],
  ])('lets it work for %s', async (_how, body, expected) => {
    const { download_id, url } = await createStored()
    const { status, json } = await extend(download_id, body)
    expect(status).toBe(200)
    expect(daysLeft(json.download.expires_at)).toBeCloseTo(expected, 1)
    expect(await opens(json.download.url)).toBe(true)
    expect((await list()).items[0].expires_at).toBe(json.download.expires_at)
    expect(await opens(url)).toBe(true)
  })

  it('keeps the URL that was mailed at work beyond its first end', async () => {
    // The end that the URL was made with has passed, as it would after a while.
    const { download_id, url } = await createStored({ minutes: -1 })
    await api.sql`update table_control.downloads set expires_at = now() + interval '1 minute'`
    expect((await extend(download_id)).status).toBe(200)
    expect(await opens(url)).toBe(true)
  })

  it('is one change in the audit if two requests at once ask for the life of the file', async () => {
    const { download_id } = await createStored()
    await api.sql`update table_control.downloads set created_at = now() - interval '80 days'`
    const both = await sendBehindLock(
      api.sql,
      'select from table_control.downloads for update',
      [90, 90].map((days) => () => extend(download_id, { days })),
    )
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await api.sql`select action from table_control.audit`).toEqual([{ action: 'extend_download' }])
  })

  it('never shortens it', async () => {
    const { download_id, expires_at } = await createStored({ minutes: 20 * 1_440 })
    expect((await extend(download_id, { days: 1 })).json.download.expires_at).toBe(expires_at)
  })

  it('ends with the life of the file, which is 90 days', async () => {
    const { download_id } = await createStored()
    await api.sql`update table_control.downloads set created_at = now() - interval '80 days'`
    expect(daysLeft((await extend(download_id, { days: 90 })).json.download.expires_at)).toBeCloseTo(10, 1)
  })

  it.each([0, 91, 1.5, '7', true, null])('refuses %j days', async (asked) => {
    const { download_id } = await createStored()
    expectFailure(await extend(download_id, { days: asked }), { status: 422, code: 'validation_failed' })
  })

  it('refuses a body that misspells its key, since the default could be another time than was meant', async () => {
    const { download_id } = await createStored()
    const response = await extend(download_id, { day: 3 })
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(Object.keys(response.json.fields)).toEqual(['days'])
  })

  it.each([colleague, south])('is for its requester only', async (as) => {
    const { download_id, expires_at } = await createStored()
    expectFailure(await extend(download_id, {}, as), notFound)
    expect((await list()).items[0].expires_at).toBe(expires_at)
  })

  it('revives neither an expired nor a revoked link', async () => {
    const expired = await createStored({ minutes: -1 })
    const revoked = await createStored()
    await api.post(`downloads/${revoked.download_id}/revoke`)
    for (const { download_id, url } of [expired, revoked]) {
      expectFailure(await extend(download_id), notFound)
      expect(await opens(url)).toBe(false)
    }
  })
})

describe('a requester who could not export the file again', () => {
  const suspended = { ...north, role: 'suspended' }
  const refusals = [
    ['whom a middleware of the table rejects', exportedBy('report'), suspended, 403, 'forbidden'],
    ['from whom the action is hidden', exportedBy('managers_report'), north, 422, 'action_not_defined'],
    [
      'from whom the action is hidden for its params',
      exportedBy('small_report', 'large'),
      north,
      422,
      'action_not_defined',
    ],
    [
      'from whom the action is hidden that was renamed since',
      exportedBy('depot_report', 'large'),
      north,
      422,
      'action_not_defined',
    ],
    ['whose table is gone', { ...exportedBy('report'), tableName: 'gone' }, north, 404, 'table_not_found'],
    ['whose table is unknown', { tableName: undefined }, north, 404, 'table_not_found'],
  ] as const

  it.each(refusals)('cannot extend the link: %s', async (_who, facts, as, status, code) => {
    const { download_id, expires_at } = await createStored(facts)
    expectFailure(await api.post(`downloads/${download_id}/extend`, { days: 30 }, { as }), { status, code })
    expect((await list()).items[0].expires_at).toBe(expires_at)
    expect(await api.sql`select from table_control.audit`).toEqual([])
  })

  it.each(refusals)('still opens and revokes it: %s', async (_who, facts, as) => {
    const { download_id, url } = await createStored(facts)
    expect(await opens(url)).toBe(true)
    expect((await api.post(`downloads/${download_id}/revoke`, {}, { as })).status).toBe(200)
    expect(await opens(url)).toBe(false)
  })

  it.each([
    ['the claim that shows it', exportedBy('managers_report'), manager],
    ['the params that show it', exportedBy('small_report'), north],
    ['the action that was renamed since', exportedBy('depot_report'), north],
  ])('extends it with %s', async (_what, facts, as) => {
    const { download_id } = await createStored(facts, as)
    expect((await api.post(`downloads/${download_id}/extend`, { days: 30 }, { as })).status).toBe(200)
  })
})

describe('a link is named by its id or by the token of its URL', () => {
  it.each(['revoke', 'extend'])('accepts either to %s it', async (verb) => {
    for (const toName of [(link: Link) => link.download_id, (link: Link) => createToken(link.url)]) {
      const link = await createStored()
      const { status, json } = await api.post(`downloads/${toName(link)}/${verb}`)
      expect({ status, id: json.download?.id }).toEqual({ status: 200, id: link.download_id })
    }
  })

  it('does not open the file by its id', async () => {
    const { download_id } = await createStored()
    expectFailure(await api.get(`downloads/${download_id}`, { as: null }), notFound)
  })
})

type Link = Awaited<ReturnType<typeof createStored>>

describe('the audit', () => {
  it('keeps each change of a link once, and nothing of a refused one', async () => {
    const { download_id } = await createStored({ jobId: job })
    await api.post(`downloads/${download_id}/extend`, { days: 30 })
    await api.post(`downloads/${download_id}/extend`, { days: 2 })
    await api.post(`downloads/${download_id}/revoke`, {}, { as: south })
    await api.post(`downloads/${download_id}/revoke`)
    await api.post(`downloads/${download_id}/revoke`)
    const rows =
      await api.sql`select subject, table_name, action, kind, outcome, job_id from table_control.audit order by id`
    const about = {
      subject: north.sub,
      table_name: 'parcels',
      kind: 'download',
      outcome: 'succeeded',
      job_id: job,
    }
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { ...about, action: 'extend_download' },
      { ...about, action: 'revoke_download' },
    ])
  })
})

describe('several links to one file', () => {
  it('are revoked one by one', async () => {
    const owner = api.createOwner(north.sub)
    const object = await storeObject(owner, file)
    const one = await createLink(owner, object, { minutes: 60 })
    const other = await createLink(owner, object, { minutes: 60 })
    await api.post(`downloads/${one.download_id}/revoke`)
    expect([await opens(one.url), await opens(other.url)]).toEqual([false, true])
  })
})
