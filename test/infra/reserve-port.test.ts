import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isFreePort } from '../../infra/local/free-port.ts'
import { listen } from '../../infra/local/listen.ts'
import { reservePort } from '../../infra/local/reserve-port.ts'

describe('the port of a local service', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'table-control-ports-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const findPort = async () => {
    const { port, release } = await reservePort(directory, 'sockets')
    await release()
    return port
  }

  it('is the same at the next start on the directory', async () => {
    const first = await findPort()
    expect(await findPort()).toBe(first)
  })

  it('is none that the system gives to outgoing connections and to servers that ask for any port', async () => {
    const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768 60999')
    expect(await findPort()).toBeLessThan(Number.parseInt(range, 10))
  })

  it('is replaced if another server listens on it, and the new one is kept', async () => {
    const first = await findPort()
    const other = await listen(createServer(), first)
    const second = await findPort()
    await other.stop()
    expect(second).not.toBe(first)
    expect(await findPort()).toBe(second)
  })

  it('is taken for every other process until the service makes room for its own server', async () => {
    const { port, release } = await reservePort(directory, 'sockets')
    const whileReserved = await isFreePort(port)
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
    await release()
    const server = await listen(createServer(), port)
    await server.stop()
    expect(whileReserved).toBe(false)
  })
})
