import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../../infra/explorer/build.ts'
import { loadConfig } from '../../lib/config.ts'
import { explorerPage, routeNotFound } from '../../lib/index.ts'
import { type Api, type ApiResponse, createApi } from '../support/requests/api.ts'

const environment = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  SERVICE_SECRET: 'a secret of more than thirty-two characters',
  JWT_ISSUER: 'https://issuer.example.test',
  JWT_AUDIENCE: 'test',
  JWKS_URL: 'https://issuer.example.test/jwks.json',
  EXPLORER: 'on',
  SOCKET_URL: 'wss://sockets.example.test/live',
}

let built: Awaited<ReturnType<typeof buildPage>>

const apiWith = (settings: Readonly<Record<string, string>> = {}): Api => {
  const config = loadConfig({ ...environment, ...settings })
  const handlers = {
    explorer: explorerPage(
      async () => built,
      () => config,
    ),
    fallback: routeNotFound(() => config),
  }
  return createApi(handlers, { tokenFor: () => '' })
}
const get = (api: Api, path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  api.request({ method: 'GET', path, headers }, { as: null })

beforeAll(async () => {
  built = await buildPage(11)
})

describe('the page', () => {
  it('is there without a token, and says nothing of a table', async () => {
    const { status, headers, text } = await get(apiWith(), '/explorer')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('content="/api-table/control-tables"')
    expect(text).not.toMatch(/flights|airports/)
  })

  it('says in both languages that it needs JavaScript', async () => {
    const { text } = await get(apiWith(), '/explorer')
    expect(text).toMatch(
      /<noscript>\s*<p>[^<]+JavaScript\.<\/p>\s*<p lang="ar" dir="rtl">[^<]+JavaScript\.<\/p>\s*<\/noscript>/,
    )
  })

  it('runs and styles itself by its own files alone', async () => {
    const { text } = await get(apiWith(), '/explorer')
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml,/),
      'explorer/licenses.txt',
      `explorer/${built.style.name}`,
      `explorer/${built.script.name}`,
    ])
    expect(text).not.toMatch(/<script[^>]*>[^<]|<style|\son\w+=|style=/)
  })

  it('forbids every source and browser feature that it does not need', async () => {
    const { headers } = await get(apiWith(), '/explorer')
    const policy = (headers['content-security-policy'] ?? '').split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self' wss://sockets.example.test",
      "img-src 'self' data: https:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types explorer',
    ])
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    })
  })

  it('may fetch tokens for demo users only where the local stack says so', async () => {
    const local = apiWith({ EXPLORER_DEMO_USERS: 'http://127.0.0.1:4567/demo-users' })
    const { headers, text } = await get(local, '/explorer')
    expect(headers['content-security-policy']).toContain('http://127.0.0.1:4567;')
    expect(text).toContain('content="http://127.0.0.1:4567/demo-users"')
    expect((await get(apiWith(), '/explorer')).text).toContain('name="explorer-demo-users" content=""')
  })

  it('may upload files to the storage of the deployment and to no other', async () => {
    const origins = 'https://b.s3.eu-central-1.amazonaws.com,https://b.s3.dualstack.eu-central-1.amazonaws.com'
    const { headers } = await get(apiWith({ UPLOAD_ORIGINS: origins }), '/explorer')
    expect(headers['content-security-policy']).toContain(
      `connect-src 'self' wss://sockets.example.test ${origins.replace(',', ' ')};`,
    )
  })

  it('asks the guard of web clients where there is one, else the first', async () => {
    const { text } = await get(apiWith({ GUARDS: 'partners,api' }), '/explorer')
    expect(text).toContain('content="/partners/api-table/control-tables"')
  })

  it.each(['/explorer', '/explorer/explorer.js'])('is not there where it is switched off: %s', async (path) => {
    const { status, json } = await get(apiWith({ EXPLORER: 'off' }), path)
    expect([status, json.code]).toEqual([404, 'route_not_found'])
  })
})

function findPart() {
  const [part] = built.parts
  if (part === undefined) throw new Error('The explorer was built without parts.')
  return part
}

const gzipBytes = ({ gzip }: { readonly gzip: string }): number => Buffer.byteLength(gzip, 'base64')
const scriptText = ({ gzip }: { readonly gzip: string }): string => gunzipSync(Buffer.from(gzip, 'base64')).toString()

describe('its files', () => {
  it.each(['script', 'style', 'part'] as const)('come compressed and may be kept for ever: %s', async (kind) => {
    const { name, type } = kind === 'part' ? findPart() : built[kind]
    const responses = await Promise.all(
      ['br, gzip', 'gzip', 'identity'].map((encoding) =>
        get(apiWith(), `/explorer/${name}`, { 'accept-encoding': encoding }),
      ),
    )
    expect(responses.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined])
    const [br, gzip, identity] = responses.map(({ bytes }) => bytes)
    expect(brotliDecompressSync(br ?? '').equals(identity ?? new Uint8Array())).toBe(true)
    expect(gunzipSync(gzip ?? '').equals(identity ?? new Uint8Array())).toBe(true)
    for (const { headers } of responses) {
      expect(headers).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      })
    }
  })

  it('are not sent to a client that has them', async () => {
    for (const path of ['/explorer', '/explorer/licenses.txt', `/explorer/${built.script.name}`]) {
      const { headers } = await get(apiWith(), path)
      const again = await get(apiWith(), path, { 'if-none-match': headers['etag'] ?? '' })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
    }
  })

  it('have the licence of every package whose code is in them, in one text to which each script refers', async () => {
    const { headers, text } = await get(apiWith(), '/explorer/licenses.txt')
    expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' })
    expect(text).toMatch(/^Table Control\n\nMIT License\n/)
    for (const name of ['preact', '@base-ui/react', '@floating-ui/core'])
      expect(text).toMatch(new RegExp(`\\n${name} \\d[\\d.]+ \\(MIT\\)\\n\\n(The )?MIT License`))
    for (const script of [built.script, ...built.parts])
      expect(scriptText(script)).toMatch(/^\/\*! Licenses: licenses\.txt \*\/\n/)
  })

  it.each(['explorer.js', '..%2Fpackage.json', 'explorer-old.js'])(
    'have these names and no other: %s',
    async (name) => {
      expect((await get(apiWith(), `/explorer/${name}`)).status).toBe(404)
    },
  )

  it('weigh less than 150 KB with the page itself and all parts, as gzip sends them', async () => {
    const page = await get(apiWith(), '/explorer', { 'accept-encoding': 'gzip' })
    const files = [built.script, built.style, ...built.parts].map(gzipBytes)
    expect(files.reduce((sum, bytes) => sum + bytes, page.bytes.length)).toBeLessThan(150_000)
  })

  it('leave to parts what a first look does not need: the script weighs less than 42 KB as gzip sends it', () => {
    expect(gzipBytes(built.script)).toBeLessThan(42_000)
  })

  it('are one script and its parts: what a part shares with the script stays in the script', () => {
    const names = [built.script, ...built.parts].map(({ name }) => name)
    const imported = [built.script, ...built.parts].flatMap((file) =>
      [...scriptText(file).matchAll(/(?:from|import)\s*\(?"\.\/([^"]+)"/g)].map(([, name]) => ({
        by: file.name,
        name,
      })),
    )
    expect(names).toEqual(expect.arrayContaining(imported.map(({ name }) => name)))
    expect(scriptText(built.script)).not.toMatch(/(?:from|import)\s*"\.\//)
    for (const { name } of built.parts) expect(imported.map((one) => one.name)).toContain(name)
  })
})
