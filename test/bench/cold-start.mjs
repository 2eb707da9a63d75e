import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'

/**
 * Loads the module of the first argument, passes the event of the second to its handler, and prints the time of each step in
 * milliseconds since the process began, and the files of the module that were read. Without an event it only loads; without a module
 * it only prints.
 */
const [file, event, authority] = process.argv.slice(2)
const builtins = process.moduleLoadList.length
const { handler } = file === undefined ? {} : await import(file)
const readyMs = performance.now()
const cpuMs = Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1_000, 0)
const loaded = process.moduleLoadList.length - builtins
if (authority !== undefined) process.getBuiltinModule('node:tls').setDefaultCACertificates([authority])
const calledMs = performance.now()
const answer = event && (await handler?.(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000 }))
const answerMs = performance.now() - calledMs
const read = Object.keys(createRequire(import.meta.url).cache)
const bytes = read.reduce((sum, path) => sum + statSync(path).size, 0)
const response = { status: answer?.statusCode ?? 0, ...(process.env.PRINT_BODY && { body: answer?.body }) }
const result = { readyMs, cpuMs, answerMs, loaded, files: read.map((path) => basename(path)), bytes, ...response }
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())
