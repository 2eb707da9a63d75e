import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { guardBasePath } from '../../lib/routes.ts'
import { downloadUrl, readDownloadToken } from '../../lib/storage/download-link.ts'
import { storeFile } from '../../lib/storage/store-file.ts'
import { startDownloadService } from '../lib/storage/download-service.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { colleague, north, south } from '../support/fixtures/identities.ts'
import { readSignedAt, shiftProcessClock } from '../support/fixtures/process-clock.ts'

const api = await startDownloadService()
afterAll(() => api.stop())
beforeEach(() => api.storage.faults.clear())

const content = Buffer.from('column\r\nقيمة\r\n')
const csv = { name: 'تقرير الرحلات.csv', contentType: 'text/csv; charset=utf-8', content }

const createStored = (minutes = 15, file: Parameters<typeof storeFile>[1] = csv) =>
  storeFile(api.createOwner(north.sub), file, { minutes })
const readPath = (url: string) => url.slice(`${publicUrl}${guardBasePath('api')}/`.length)
const createToken = (url: string) => url.slice(url.lastIndexOf('/') + 1)
const open = (url: string, guard = 'api') => api.get(readPath(url), { as: null, guard })
const notFound = { status: 404, code: 'download_not_found' } as const

describe('a download link', () => {
  it('is absolute, below the guard of the request, and says when it ends', async () => {
    const before = Date.now()
    const { url, filename, expires_at } = await createStored(15)
    expect(url).toMatch(/^https:\/\/tables\.example\.test\/api\/api-table\/control-tables\/downloads\/[\w-]{72}$/)
    expect(filename).toBe(csv.name)
    expect(new Date(expires_at).toISOString()).toBe(expires_at)
    expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(15 * 60_000)
  })

  it.each([-60, -5, 5])('works by the clock of the database if the process is %d minutes off', async (minutes) => {
    const ahead = shiftProcessClock(minutes)
    const { url, expires_at, download_id } = await createStored(1)
    const [stored] = await api.sql`select expires_at, expires_at between now() and now() + interval '1 minute' as works
      from table_control.downloads where id = ${download_id}`
    expect(stored).toEqual({ works: true, expires_at: new Date(expires_at) })
    const { status, headers } = await open(url)
    expect(status).toBe(302)
    expect(Math.abs(readSignedAt(headers['location']) + ahead - Date.now())).toBeLessThan(60_000)
  })

  it.each(['api', 'web'])(
    'leads through the guard %s to the file, without any header, cookie or token',
    async (guard) => {
      const { url } = await createStored()
      const response = await open(url, guard)
      expect(response).toMatchObject({ status: 302, text: '' })
      expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      const file = await fetch(response.headers['location'] ?? '')
      expect(file.status).toBe(200)
      expect(Buffer.from(await file.arrayBuffer())).toEqual(content)
      expect(file.headers.get('content-type')).toBe(csv.contentType)
      expect(file.headers.get('content-disposition')).toBe(
        `attachment; filename="file.csv"; filename*=UTF-8''${encodeURIComponent(csv.name)}`,
      )
    },
  )

  it('leads to an object URL of 60 seconds, which is another one each time and names nothing', async () => {
    const { url } = await createStored()
    const [first, second] = await Promise.all([open(url), open(url)])
    for (const { headers } of [first, second]) {
      const target = new URL(headers['location'] ?? '')
      expect(target.searchParams.get('X-Amz-Expires')).toBe('60')
      expect(target.pathname).toMatch(/^\/[\w-]+\/[\w-]{32}$/)
    }
  })

  it('works as often as one likes until it ends', async () => {
    const { url } = await createStored()
    for (let time = 0; time < 3; time += 1) expect((await open(url)).status).toBe(302)
  })

  it('needs nothing of the object store to be answered', async () => {
    const { url } = await createStored()
    api.storage.faults.add({ kind: 'reset', times: 10 })
    expect((await open(url)).status).toBe(302)
  })
})

describe('HEAD on a link', () => {
  const head = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    api.request({ method: 'HEAD', path: new URL(url).pathname, headers }, { as: null })

  it('leads to an address that answers HEAD with the size, type and name of the file', async () => {
    const { url } = await createStored()
    const response = await head(url)
    expect(response.status).toBe(302)
    const file = await fetch(response.headers['location'] ?? '', { method: 'HEAD' })
    expect(file.status).toBe(200)
    expect(file.headers.get('content-length')).toBe(String(content.length))
    expect(file.headers.get('content-type')).toBe(csv.contentType)
    expect(file.headers.get('content-disposition')).toContain('attachment')
    expect(await file.text()).toBe('')
  })

  it('answers 404 for a dead link', async () => {
    expect((await head((await createStored(-1)).url)).status).toBe(404)
  })
})

describe('a person who opens a dead link in a browser', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
  const openIn = (headers: Readonly<Record<string, string>>) => api.get('downloads/nothing', { as: null, headers })

  it.each([
    ['en', 'This link no longer works', 'لم يعد هذا الرابط يعمل', '<html lang="en" dir="ltr">'],
    ['ar', 'لم يعد هذا الرابط يعمل', 'This link no longer works', '<html lang="ar" dir="rtl">'],
  ])('sees a page in both languages, that of %s first', async (language, first, second, opening) => {
    const { status, headers, text } = await openIn({ accept: browser, 'accept-language': `${language};q=0.9` })
    expect(status).toBe(404)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      vary: expect.stringMatching(/accept/i),
    })
    expect(text).toContain(opening)
    expect(text).toContain(`<h1>${first}</h1>`)
    expect(text.indexOf(second)).toBeGreaterThan(text.indexOf(`<h1>${first}</h1>`))
    expect(text).toContain('<section lang="ar" dir="rtl">')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(text).not.toContain('nothing')
  })

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json, text/html;q=0.5',
    'application/json,text/html; q=0.5',
    'text/html;q=0, */*',
    'text/html;q=x',
  ])('is distinguished from a program that accepts %s, which gets JSON', async (accept) => {
    expectFailure(await openIn(accept === undefined ? {} : { accept }), notFound)
  })

  it('is asked to try again while the service is away', async () => {
    const { url } = await createStored()
    await api.sql`alter table table_control.downloads rename to downloads_away`
    const { status, text } = await api.get(readPath(url), { as: null, headers: { accept: browser } })
    await api.sql`alter table table_control.downloads_away rename to downloads`
    expect(status).toBeGreaterThanOrEqual(500)
    expect(text).toContain('The file cannot be opened right now')
    expect(text).toContain('يتعذّر فتح الملف الآن')
  })
})

describe('a link that leads nowhere', () => {
  it('is answered by the same 404 if any one character was altered', async () => {
    const { url } = await createStored()
    const token = createToken(url)
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: token.length - 1 }), fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(token[at] !== character)
        const altered = token.slice(0, at) + character + token.slice(at + 1)
        expectFailure(await api.get(`downloads/${altered}`, { as: null }), notFound)
      }),
      { numRuns: 200 },
    )
  })

  it('is answered by the same 404 if it is any other text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), async (text) => {
        const segment = encodeURIComponent(text).replace(/^\.+$/, 'x').replaceAll('%2F', 'x').replaceAll('%3F', 'x')
        expectFailure(await api.get(`downloads/${segment}`, { as: null }), notFound)
      }),
      { numRuns: 200 },
    )
  })

  it.each(['%00', '..%5C', 'null', '%F0%9F%92%A5', 'a'.repeat(8_000), 'A'.repeat(72), '-'.repeat(72), '+'.repeat(72)])(
    'is answered by the same 404 if its token is %s',
    async (token) => expectFailure(await api.get(`downloads/${token}`, { as: null }), notFound),
  )

  it('is answered by the same 404 if it is padded or has text behind it', async () => {
    const token = createToken((await createStored()).url)
    for (const text of [`${token}=`, `${token}A`, `${token}.xlsx`, token.slice(0, -1), `%20${token}`])
      expectFailure(await api.get(`downloads/${text}`, { as: null }), notFound)
  })

  it('is answered by the same 404 if its token or its row has expired', async () => {
    expectFailure(await open((await createStored(-1)).url), notFound)
    const { url } = await createStored()
    await api.sql`update table_control.downloads set expires_at = now() - interval '1 s'`
    expectFailure(await open(url), notFound)
  })

  it('is answered by the same 404 if it is signed but has no file', async () => {
    const later = new Date(Date.now() + 60_000)
    const url = downloadUrl(api.service.config, publicUrl, 'api', '7b8f3a52-2f7a-4a8e-9d3e-111111111111', later)
    expectFailure(await open(url), notFound)
  })

  it('is answered by the same 404 if another deployment signed it', async () => {
    const { url } = await createStored()
    const id = readDownloadToken(api.service.config.SERVICE_SECRET, createToken(url)) ?? ''
    const other = { SERVICE_SECRET: 'another-secret-of-more-than-32-characters' }
    expectFailure(await open(downloadUrl(other, publicUrl, 'api', id, new Date(Date.now() + 60_000))), notFound)
  })

  it('is answered in Arabic to a reader of Arabic', async () => {
    const { json } = await api.get('downloads/nothing', { as: null, headers: { ln: 'ar' } })
    expect(json.message).toMatch(/\p{Script=Arabic}/u)
  })
})

describe('revoking a link', () => {
  const revoke = (url: string, as: Parameters<typeof api.post>[2] = {}) => api.post(`${readPath(url)}/revoke`, {}, as)

  it('is for the caller to whom the file belongs, and ends the link', async () => {
    const { url } = await createStored()
    expect(await revoke(url)).toMatchObject({ status: 200, json: { success: true } })
    expectFailure(await open(url), notFound)
  })

  it('is answered the same when it is done again, and keeps the first time', async () => {
    const { url } = await createStored()
    await revoke(url)
    const [first] = await api.sql`select revoked_at from table_control.downloads order by created_at desc limit 1`
    expect((await revoke(url)).status).toBe(200)
    const [second] = await api.sql`select revoked_at from table_control.downloads order by created_at desc limit 1`
    expect(second).toEqual(first)
  })

  it.each([colleague, south])('does not find the link of another caller, which keeps working', async (as) => {
    const { url } = await createStored()
    expectFailure(await revoke(url, { as }), notFound)
    expect((await open(url)).status).toBe(302)
  })

  it('does nothing to other links', async () => {
    const one = await createStored()
    const other = await createStored()
    await revoke(one.url)
    expect((await open(other.url)).status).toBe(302)
  })

  it.each(['nothing', 'A'.repeat(72), '%00'])('is 404 for %s', async (token) => {
    expectFailure(await api.post(`downloads/${token}/revoke`, {}), notFound)
  })

  it('needs a token', async () => {
    const { url } = await createStored()
    expectFailure(await revoke(url, { as: null }), { status: 401, code: 'unauthenticated' })
  })
})

describe('the rows and objects behind links', () => {
  it('keep what was stored, for whom, and how large it is', async () => {
    await api.sql`delete from table_control.downloads`
    await createStored(15, { ...csv, name: '../x\r\ny.csv' })
    const [row] = await api.sql`select * from table_control.downloads`
    expect(row).toMatchObject({ subject: 'nora', file_name: '-x y.csv', bytes: String(content.length), job_id: null })
    expect(await api.objectKeys()).toContain(row?.['object_key'])
  })

  it('leave no object behind when the row cannot be written', async () => {
    const before = await api.objectKeys()
    await api.sql`alter table table_control.downloads rename to downloads_away`
    await expect(createStored()).rejects.toThrow()
    await api.sql`alter table table_control.downloads_away rename to downloads`
    expect(await api.objectKeys()).toEqual(before)
  })

  it('leave no row behind when the object cannot be stored', async () => {
    await api.sql`delete from table_control.downloads`
    api.storage.faults.add({ action: 'PUT', status: 500, code: 'InternalError', times: 5 })
    await expect(createStored()).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    expect(await api.sql`select from table_control.downloads`).toHaveLength(0)
  })
})
