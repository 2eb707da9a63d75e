import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { functionEnvironment } from '../../infra/local/lambda/function-environment.ts'
import { readOrCreate } from '../../infra/local/local-directory.ts'
import type { LocalParts } from '../../infra/local/local-parts.ts'
import { openStores } from '../../infra/local/queue/fauxqs-stores.ts'
import { reservePort } from '../../infra/local/reserve-port.ts'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'table-control-state-'))
  file = join(directory, 'service-secret')
  return () => rmSync(directory, { recursive: true })
})

const variables = () =>
  functionEnvironment({ directory, databaseUrl: 'postgres://127.0.0.1/one', queue: {}, mail: {} } as LocalParts)

it.each(['', '\n', '0123456789abcdef'])(
  'a start names the file of a secret that holds only %j, and the fix',
  (left) => {
    writeFileSync(file, left)
    expect(variables).toThrow(`${file} is empty or cut off; delete it, and the next start makes another one`)
    rmSync(file)
    expect(variables()['SERVICE_SECRET']).toBe(readFileSync(file, 'utf8'))
  },
)

it('a file of the local directory that cannot be read is named with the fix', () => {
  mkdirSync(file)
  expect(() => readOrCreate(file, () => 'new')).toThrow(/service-secret cannot be read: EISDIR.*; delete it/)
})

it.each(['', 'none', '70000'])('a file of a port that holds %j is written anew', async (left) => {
  writeFileSync(join(directory, 'sockets.port'), left)
  const { port, release } = await reservePort(directory, 'sockets')
  await release()
  expect(readFileSync(join(directory, 'sockets.port'), 'utf8')).toBe(String(port))
})

it('a start names the folder of messages and files that cannot be read, and the fix', async () => {
  writeFileSync(join(directory, 'fauxqs.db'), 'no database'.repeat(100))
  await expect(openStores(directory)).rejects.toThrow(`${directory} cannot be read: file is not a database; delete`)
})
