import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { lockFile } from '../../infra/local/lock-file.ts'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'table-control-lock-'))
  file = join(directory, 'one.lock')
  return () => rmSync(directory, { recursive: true })
})

it('frees a file, and leaves nothing beside it', async () => {
  const unlock = await lockFile(file)
  expect(readdirSync(directory)).toEqual(['one.lock'])
  unlock()
  expect(readdirSync(directory)).toEqual([])
})

it('waits for a process that has the lock, until it frees the file', async () => {
  const unlock = await lockFile(file)
  await expect(lockFile(file, AbortSignal.timeout(300))).rejects.toThrow('aborted')
  const second = lockFile(file)
  unlock()
  ;(await second)()
})

it('takes the lock of a process that has ended', async () => {
  const script = `import(${JSON.stringify(join(import.meta.dirname, '../../infra/local/lock-file.ts'))})
    .then(({ lockFile }) => lockFile(${JSON.stringify(file)}))`
  await once(spawn(process.execPath, ['--eval', script]), 'exit')
  expect(readFileSync(file, 'utf8')).toMatch(/^\d+ \S/)
  ;(await lockFile(file, AbortSignal.timeout(5_000)))()
})

it.each([
  ['is empty, such as after a full disk', () => ''],
  ['names no process', () => 'nonsense'],
  ['names a process whose id another program has by now', () => String(startProgram())],
  ['names an earlier process with the id of this one', () => `${process.pid} 1`],
])('takes a lock that %s', async (_, content) => {
  writeFileSync(file, content())
  const unlock = await lockFile(file, AbortSignal.timeout(5_000))
  expect(readFileSync(file, 'utf8')).toMatch(/^\d+ \S/)
  unlock()
})

it('leaves a lock alone that another process has taken since it found nobody behind the one before', async () => {
  expect(spawnSync('mkfifo', [file]).status).toBe(0)
  const script = `import(${JSON.stringify(join(import.meta.dirname, '../../infra/local/lock-file.ts'))})
    .then(({ lockFile }) => lockFile(${JSON.stringify(file)}, AbortSignal.timeout(500)))
    .then(() => console.log('locked'), ({ name }) => console.log(name))`
  const other = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  // A named pipe holds the other process at the content of the lock.
  const abandoned = await open(file, 'w')
  rmSync(file)
  const unlock = await lockFile(file)
  await abandoned.write('nonsense')
  await abandoned.close()
  expect(await text(other.stdout)).toBe('AbortError\n')
  unlock()
})

function startProgram(): number | undefined {
  const program = spawn('sleep', ['60'])
  onTestFinished(() => void program.kill())
  return program.pid
}
