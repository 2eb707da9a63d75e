import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { startTcpProxy } from '../../support/network/tcp-proxy.ts'
import { createTlsIdentity } from '../../support/network/tls-identity.ts'
import { openDatabase } from './open-database.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

const identity = createTlsIdentity('localhost')
const stranger = createTlsIdentity('localhost')

async function tlsUrl(host: string): Promise<string> {
  const proxy = await startTcpProxy({ target: target.url, tls: identity })
  onTestFinished(proxy.close)
  return proxy.url(host)
}

it('reads over TLS from a server that its authority vouches for', async () => {
  const url = await tlsUrl('localhost')
  const database = openDatabase(url, { DATABASE_TLS: 'verify', DATABASE_TLS_CA: identity.cert })
  expect(await database.read('select $1::int', [1])).toEqual([[1]])
})

it('takes the authority from a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'authority-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'ca.pem')
  await writeFile(path, identity.cert)
  const database = openDatabase(await tlsUrl('localhost'), { DATABASE_TLS: 'verify', DATABASE_TLS_CA: path })
  expect(await database.read('select 1', [])).toEqual([[1]])
})

it.each([
  ['a certificate of another authority', 'localhost', { DATABASE_TLS_CA: stranger.cert }],
  ['a certificate that no known authority signed', 'localhost', {}],
  ['a certificate for another name', '127.0.0.1', { DATABASE_TLS_CA: identity.cert }],
])('refuses %s', async (_, host, settings) => {
  const database = openDatabase(await tlsUrl(host), { DATABASE_TLS: 'verify', ...settings })
  await expect(database.read('select 1', [])).rejects.toMatchObject({ code: 'unavailable' })
})

it('sends nothing to a server without TLS', async () => {
  const proxy = await startTcpProxy({ target: target.url })
  onTestFinished(proxy.close)
  const database = openDatabase(proxy.url(), { DATABASE_TLS: 'verify' })
  await expect(database.read('select 1', [])).rejects.toMatchObject({ code: 'unavailable' })
})
