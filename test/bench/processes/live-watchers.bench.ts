import { setTimeout as sleep } from 'node:timers/promises'
import { sendAtRate } from '../drive.ts'
import { type HttpConnection, openHttpConnection, requestText } from '../http-connection.ts'
import { token } from '../installation.ts'
import type { LiveLoad, LiveOrder, LiveSample } from '../live/load.ts'
import { parcelId, tenantCount, windowRows } from '../live/parcels.ts'
import { openLiveWatcher } from '../live/watcher.ts'
import { quantile } from '../rounds.ts'

type Watcher = Awaited<ReturnType<typeof openLiveWatcher>>

const watchers: Watcher[] = []
const openedAtOnce = 20
const latencies: number[] = []

async function open({ url, sockets, windows }: Extract<LiveOrder, { kind: 'open' }>): Promise<void> {
  const waiting = Array.from({ length: sockets }, (_, index) => index).values()
  const depots = windows / tenantCount
  const work = async () => {
    for (const index of waiting) {
      const tenant = index % tenantCount
      const depot = Math.floor(index / tenantCount) % depots
      watchers.push(
        await openLiveWatcher({ url, subject: `watcher-${index}`, tenant, depot }, (ms) => latencies.push(ms)),
      )
    }
  }
  await Promise.all(Array.from({ length: openedAtOnce }, work))
}

const callers = Array.from({ length: tenantCount }, (_, tenant) => token(`mover-${tenant}`, { tenant }))

async function change({ port, perSecond, milliseconds, windows, table = 'parcels' }: LiveLoad): Promise<LiveSample> {
  const free: HttpConnection[] = []
  const actionMs: number[] = []
  let failed = 0
  const act = async (at: number) => {
    const tenant = at % tenantCount
    const depot = Math.floor(Math.random() * (windows / tenantCount))
    const id = parcelId(tenant, depot, Math.floor(Math.random() * windowRows))
    const connection = free.pop() ?? (await openHttpConnection(port))
    const began = performance.now()
    const path = `/api/api-table/control-tables/row-table-action/${table}/move/${id}`
    const { status } = await connection.send(requestText({ path, body: {} }, callers[tenant] ?? ''))
    actionMs.push(performance.now() - began)
    if (status !== 200) failed += 1
    free.push(connection)
  }
  const before = countMessages()
  latencies.length = 0
  const { sent } = await sendAtRate(act, perSecond, milliseconds)
  const after = countMessages()
  await untilQuiet()
  for (const { close } of free) close()
  return {
    changes: sent,
    failed,
    actionP50Ms: quantile(actionMs, 0.5),
    arrivals: latencies.length,
    seconds: milliseconds / 1_000,
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    messages: after.messages - before.messages,
    stale: after.stale - before.stale,
  }
}

function countMessages() {
  const counts = watchers.map(({ counts }) => counts())
  const sum = (key: 'messages' | 'stale') => counts.reduce((all, one) => all + one[key], 0)
  return { messages: sum('messages'), stale: sum('stale') }
}

const quietMs = 1_500
const maxQuietMs = 20_000

/** Waits until no message has come for a while. */
async function untilQuiet(): Promise<void> {
  const end = performance.now() + maxQuietMs
  let last = -1
  while (performance.now() < end) {
    const { messages } = countMessages()
    if (messages === last) return
    last = messages
    await sleep(quietMs)
  }
}

process.on('message', async (order: LiveOrder) => {
  if (order.kind === 'open') {
    await open(order)
    process.send?.(watchers.length)
  } else if (order.kind === 'load') process.send?.(await change(order))
  else if (order.kind === 'compare') {
    const moves = new Map(order.moves)
    process.send?.(watchers.filter(({ shows }) => shows(moves)).length)
  } else {
    for (const { close } of watchers.splice(0)) close()
    process.send?.(0)
  }
})
process.on('disconnect', () => process.exit())
