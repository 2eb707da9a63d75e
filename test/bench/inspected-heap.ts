import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'

/** The heap of a process that runs, as its inspector tells. */
export interface InspectedHeap {
  /** Collects all garbage, and returns the size of the objects that are left, without the contents of buffers. */
  readonly readMegabytes: () => Promise<number>
  readonly close: () => void
}

const target = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })])
const usage = z.object({ result: z.object({ usedSize: z.number() }) })
const attempts = 100
const pauseMs = 100

/** Returns the option for `NODE_OPTIONS` by which a process will open its inspector at this port. */
export const inspectorOption = (port: number): string => `--inspect-port=127.0.0.1:${port}`

/** Makes a process that was started with this port open its inspector, and connects to it. */
export async function inspectHeap(pid: number, port: number): Promise<InspectedHeap> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await findTarget(port))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector refused the connection')))
  })
  const pending = new Map<number, (message: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data))
    pending.get(Object(message).id)?.(message)
  })
  const closed = new Promise<never>((_, reject) => {
    socket.addEventListener('close', () => reject(new Error('the inspector has closed')))
  })
  closed.catch(() => undefined)
  let last = 0
  const send = (method: string): Promise<unknown> => {
    last += 1
    const id = last
    const response = new Promise((resolve) => pending.set(id, resolve))
    socket.send(JSON.stringify({ id, method }))
    return Promise.race([response, closed]).finally(() => pending.delete(id))
  }
  return {
    readMegabytes: async () => {
      await send('HeapProfiler.collectGarbage')
      return usage.parse(await send('Runtime.getHeapUsage')).result.usedSize / 2 ** 20
    },
    close: () => socket.close(),
  }
}

async function findTarget(port: number): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/json/list`)
      return target.parse(await response.json())[0].webSocketDebuggerUrl
    } catch (cause) {
      if (attempt === attempts) throw new Error(`no inspector answers at the port ${port}`, { cause })
      await sleep(pauseMs)
    }
  }
}
