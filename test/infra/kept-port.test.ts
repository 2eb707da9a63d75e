import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keptPort } from '../../infra/local/kept-port.ts'
import { listen } from '../../infra/local/listen.ts'

describe('the port of a local service', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'table-control-ports-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('is the same at the next start on the directory', async () => {
    const first = await keptPort(directory, 'sockets')
    expect(await keptPort(directory, 'sockets')).toBe(first)
  })

  it('is another one while somebody else listens on it, and stays that one', async () => {
    const first = await keptPort(directory, 'sockets')
    const other = await listen(createServer(), first)
    const second = await keptPort(directory, 'sockets')
    await other.stop()
    expect(second).not.toBe(first)
    expect(await keptPort(directory, 'sockets')).toBe(second)
  })
})
