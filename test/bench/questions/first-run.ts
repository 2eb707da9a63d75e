import { freePort } from '../../../infra/local/free-port.ts'
import { type StackWorkspace, stackWorkspace } from '../../support/stack/running-stack.ts'
import type { Question } from '../figure.ts'
import { median } from '../rounds.ts'

const rounds = 3

/** Seconds from the command until the stack is ready; stops what it started. */
async function start(workspace: StackWorkspace): Promise<number> {
  const port = await freePort()
  const began = performance.now()
  const command = workspace.start(port)
  await command.ready()
  const seconds = (performance.now() - began) / 1000
  command.interrupt()
  await command.exitCode
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
      const workspace = await stackWorkspace()
      try {
        empty.push(await start(workspace))
        seeded.push(await start(workspace))
      } finally {
        await workspace.remove()
      }
    }
    return [
      { name: 'empty directory', measured: formatSeconds(empty), target: '<= 120 s', met: median(empty) <= 120 },
      { name: 'seeded directory', measured: formatSeconds(seeded) },
    ]
  },
}
