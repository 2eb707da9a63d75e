import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type IdentityProvider, startIdentityProvider } from '../../infra/local/identity/identity-provider.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import { fullStage, listFunctions, synthesize } from '../support/infra/synthesized-stack.ts'

const list = z.array(z.object({ name: z.string(), label: z.object({ en: z.string(), ar: z.string() }) }))

const listVariables = (settings: typeof fullStage) =>
  listFunctions(synthesize(settings)).get('explorer')?.Environment.Variables ?? {}

describe('the explorer of a stage', () => {
  it('is off unless the stage wants it', () => {
    expect(listVariables(fullStage)['EXPLORER']).toBe('off')
    expect(listVariables({ ...fullStage, explorer: 'on' })['EXPLORER']).toBe('on')
  })

  it('knows the socket that its pages may open, and no demo users who need no password', () => {
    const variables = listVariables({ ...fullStage, explorer: 'on' })
    expect(Object.keys(variables)).toContain('SOCKET_URL')
    expect(Object.keys(variables)).not.toContain('EXPLORER_DEMO_USERS')
    expect(JSON.stringify(variables['UPLOAD_ORIGINS'])).toMatch(/\.s3\..*\.s3\.dualstack\./)
  })
})

describe('the demo users of the local stack', () => {
  const origin = 'http://127.0.0.1:3000'
  const directory = mkdtempSync(join(tmpdir(), 'table-control-demo-users-'))
  let provider: IdentityProvider
  const get = (path: string, from: string) => fetch(`${provider.demoUsersUrl}${path}`, { headers: { origin: from } })

  beforeAll(async () => {
    provider = await startIdentityProvider(loadSigningKey(directory), [origin])
  })
  afterAll(async () => {
    await provider.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('are listed by name, in both languages, and have tokens', async () => {
    const users = list.parse(await (await get('', origin)).json())
    expect(users.length).toBeGreaterThan(1)
    for (const { name } of users) {
      expect(await (await get(`/${name}`, origin)).json()).toEqual({
        token: expect.stringMatching(/^[\w-]+(\.[\w-]+){2}$/),
      })
    }
  })

  it('are for pages of the gateway alone', async () => {
    const responses = await Promise.all(['', '/alice'].map((path) => get(path, 'https://elsewhere.example')))
    expect(responses.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null])
    expect((await get('', origin)).headers.get('access-control-allow-origin')).toBe(origin)
  })

  const statusFor = (host: string, url: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      asked.on('error', reject).end()
    })

  it.each(['127.0.0.1', 'localhost', 'LOCALHOST:3000', '[::1]:3000'])('are there under the name %s', async (host) => {
    expect(await statusFor(host, `${provider.demoUsersUrl}/alice`)).toBe(200)
  })

  it.each([
    'elsewhere.example',
    'elsewhere.example:3000',
    'localhost.elsewhere.example',
    '127.0.0.1@elsewhere.example',
  ])('are not there under a name that leads here for a while: "%s"', async (host) => {
    for (const url of [`${provider.demoUsersUrl}/alice`, provider.demoUsersUrl, provider.jwksUrl])
      expect(await statusFor(host, url)).toBe(421)
  })

  it.each(['/nobody', '/constructor', '/'])('are not there under an unknown name: %s', async (path) => {
    expect((await get(path, origin)).status).toBe(404)
  })
})
