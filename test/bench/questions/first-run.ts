import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '../../../infra/local/free-port.ts'
import type { Question } from '../figure.ts'
import { benchDirectory } from '../installation.ts'
import { median } from '../rounds.ts'

const rounds = 3
const project = resolve(import.meta.dirname, '../../..')
const directory = join(benchDirectory, 'first-run')

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const hear = (text: string): void => {
      output += text
      if (/\bs {2}ready$/m.test(output)) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', hear)
    child.stderr?.setEncoding('utf8').on('data', hear)
    child.once('exit', () => reject(new Error(`npm start ended before it was ready:\n${output}`)))
  })
}

/** Seconds from the command to its line "ready"; stops what it started. */
async function start(): Promise<number> {
  const env = { ...process.env, LOCAL_DIRECTORY: directory, PORT: String(await freePort()), DATABASE_URL: '' }
  const began = performance.now()
  const child = spawn('npm', ['start'], { cwd: project, env })
  await ready(child)
  const seconds = (performance.now() - began) / 1000
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
  return seconds
}

const formatSeconds = (seconds: readonly number[]): string =>
  `${median(seconds).toFixed(1)} s (${seconds.map((value) => value.toFixed(1)).join(', ')})`

/** Measures `npm start` with and without an existing database. */
export const firstRun: Question = {
  id: 'first-run',
  asks: 'How long does npm start take until it is ready?',
  method: `\`npm start\` with 200,000 flights in a directory of its own, ${rounds} times on an empty one, each followed by a start on what that left.`,
  measure: async ({ report }) => {
    const empty: number[] = []
    const seeded: number[] = []
    for (let round = 0; round < rounds; round++) {
      report(`round ${round + 1}`)
      rmSync(directory, { recursive: true, force: true })
      empty.push(await start())
      seeded.push(await start())
    }
    rmSync(directory, { recursive: true, force: true })
    return [
      { name: 'empty directory', measured: formatSeconds(empty), target: '<= 120 s', met: median(empty) <= 120 },
      { name: 'seeded directory', measured: formatSeconds(seeded) },
    ]
  },
}
