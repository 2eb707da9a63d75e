import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'

/**
 * Loads the module of the first argument and passes the event of the second to its handler. Prints the time of each
 * step, in milliseconds since the process began, and the files of the module that were read. Without an event it only
 * loads; without a module it only prints.
 */
const [file, event, authority] = process.argv.slice(2)
const builtins = process.moduleLoadList.length
const { handler } = file === undefined ? {} : await import(file)
const readyMs = performance.now()
const cpuMs = Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1_000, 0)
const loaded = process.moduleLoadList.length - builtins
if (authority !== undefined) process.getBuiltinModule('node:tls').setDefaultCACertificates([authority])
const calledMs = performance.now()
const response = event && (await handler?.(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000 }))
const responseMs = performance.now() - calledMs
const totalCpuMs = Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1_000, 0)
const read = Object.keys(createRequire(import.meta.url).cache)
const bytes = read.reduce((sum, path) => sum + statSync(path).size, 0)
const result = {
  readyMs,
  cpuMs,
  responseMs,
  totalCpuMs,
  againMs: await revalidate(),
  loaded,
  files: read.map((path) => basename(path)),
  bytes,
  status: response?.statusCode ?? 0,
  body: process.env.PRINT_BODY ? response.body : '',
}
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())

/** Returns the milliseconds of the same request from a client that holds the response, if `REVALIDATE` asks for it. */
async function revalidate() {
  if (!process.env.REVALIDATE) return undefined
  const held = JSON.parse(event)
  held.headers['if-none-match'] = response.headers.etag
  const times = []
  for (let round = 0; round < 21; round++) {
    const began = performance.now()
    const { statusCode } = await handler(held, { getRemainingTimeInMillis: () => 29_000 })
    if (statusCode !== 304) throw new Error(`a client that holds the response was answered ${statusCode}`)
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[10]
}
