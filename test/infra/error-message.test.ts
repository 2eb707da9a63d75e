import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { errorMessage } from '../../infra/local/error-message.ts'

const run = promisify(execFile)

/**
 * Prints the error of a separate Node process for a file that it cannot load; Vitest would load the file differently.
 */
async function messageFor(source: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-syntax-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'broken.ts'), source)
  const module = resolve(import.meta.dirname, '../../infra/local/error-message.ts')
  const script = `
    const { errorMessage } = await import(${JSON.stringify(module)})
    await import('./broken.ts').catch((error) => console.log(errorMessage(error)))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: directory })
  return stdout
}

it.each([
  ['const a = 1\nconst b = { c: 1,, d: 2 }\n', /broken\.ts:2\n.*c: 1,, d: 2.*SyntaxError/s],
  ["import { nothing } from 'node:fs'\n", /broken\.ts:1\n.*does not provide an export named 'nothing'/s],
])('a file that is no TypeScript is named with its line: %j', async (source, expected) => {
  const message = await messageFor(source)
  expect(message).toMatch(expected)
  expect(message).not.toMatch(/^\s+at /m)
})

it('a wrapped error is described by its first cause', () => {
  expect(errorMessage(new Error('the statement failed', { cause: new Error('no such table') }))).toBe('no such table')
  expect(errorMessage('text')).toBe('text')
})

it('a wrapped error is described whole if it repeats its cause', () => {
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  const error = new Error('http://127.0.0.1: connect ECONNREFUSED. Start it first.', { cause })
  expect(errorMessage(error)).toBe('http://127.0.0.1: connect ECONNREFUSED. Start it first.')
})

it('a database that does not answer is described in words', () => {
  const error = Object.assign(new Error('write CONNECT_TIMEOUT 127.0.0.1:5432'), { code: 'CONNECT_TIMEOUT' })
  expect(errorMessage(error)).toBe('the database accepted the connection and did not answer in time')
})
