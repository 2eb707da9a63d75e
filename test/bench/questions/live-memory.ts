import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { type LiveInstallation, startLiveInstallation } from '../live/installation.ts'

const sockets = 1_000
const windows = 1_000
const load = { perSecond: 100, windows, milliseconds: 15_000 }
const loads = 4
/** How much more may be held after the last load than after the first, as a factor. */
const maxGrowth = 1.1

const maxWaits = 60

/** Waits until the worker does nothing: a round that is under way holds its pages. */
async function untilIdle(live: LiveInstallation): Promise<void> {
  let last = Number.NaN
  for (let wait = 0; wait < maxWaits; wait++) {
    const { worker } = (await live.use()).cpuMs
    if (worker - last <= 20) return
    last = worker
    await sleep(1_000)
  }
  throw new Error(`the worker was not idle for a second within ${maxWaits} seconds`)
}

async function askMemory(bench: Bench): Promise<readonly Figure[]> {
  const live = await startLiveInstallation(bench)
  try {
    const heap = await live.openHeap()
    const held: number[] = []
    const resident: number[] = []
    const read = async () => {
      // Read before garbage is collected: that is what the system counts.
      resident.push((await live.use()).megabytes.worker)
      await untilIdle(live)
      held.push(await heap.readMegabytes())
    }
    await read()
    await live.open(sockets, windows)
    let changes = 0
    for (let one = 1; one <= loads; one++) {
      bench.report(`load ${one} of ${loads}`)
      const sample = await live.change(load)
      changes += sample.changes - sample.failed
      await read()
    }
    heap.close()
    await live.close()
    const describe = (values: readonly number[]) => `${values.map((value) => value.toFixed(0)).join(', ')} MB`
    const [, first = Number.NaN] = held
    return [
      { name: 'changes', measured: `${changes}` },
      atMost('held after garbage is collected', (held.at(-1) ?? Number.NaN) / first, maxGrowth, describe(held), ' x'),
      { name: 'resident before that', measured: describe(resident) },
    ]
  } finally {
    await live.stop()
  }
}

/** Whether the worker of live rows keeps what it has read. */
export const liveMemory: Question = {
  id: 'live-memory',
  asks: 'Does the worker hold more memory the longer it tells watchers?',
  method: `${sockets} sockets on ${windows} different windows, 100 changes a second. The worker's memory before it works, and after each of ${loads} loads of ${load.milliseconds / 1_000} seconds: what it holds when it is idle and its garbage is collected, and what the system counts before. The target compares the last load with the first.`,
  measure: askMemory,
}
