import { once } from 'node:events'
import { WebSocket } from 'ws'
import { token } from '../installation.ts'
import { parcelId, windowRows } from './parcels.ts'

interface LiveWindow {
  readonly url: string
  readonly subject: string
  readonly tenant: number
  readonly depot: number
}

interface Row {
  readonly id: number
  readonly moves: number
  readonly moved_at: string | null
}

/** Opens a WebSocket that watches one window, and subscribes again whenever its page is stale, as a client does. */
export async function openLiveWatcher({ url, subject, tenant, depot }: LiveWindow, arrive: (ms: number) => void) {
  const caller = token(subject, { tenant })
  const socket = new WebSocket(url, ['bearer', caller])
  await once(socket, 'open')
  const rows = new Map<number, Row>()
  const subscribed = Promise.withResolvers<void>()
  let messages = 0
  let stale = 0
  const subscribe = () =>
    socket.send(
      JSON.stringify({
        event: 'subscribe',
        id: 'page',
        table: 'parcels',
        token: caller,
        query: { filters: [{ field: 'depot', value: depot }], perPage: windowRows },
      }),
    )
  socket.on('message', (text) => {
    const now = Date.now()
    const { event, data } = JSON.parse(String(text))
    if (event === 'error') throw new Error(String(text))
    const isFirst = rows.size === 0
    for (const row of (data?.items ?? []) as readonly Row[]) {
      const known = rows.get(row.id)
      rows.set(row.id, row)
      if (!isFirst && row.moved_at !== null && row.moved_at !== known?.moved_at) arrive(now - Number(row.moved_at))
    }
    if (event === 'rows.subscribed') return subscribed.resolve()
    messages += 1
    if (event !== 'rows.stale') return
    stale += 1
    subscribe()
  })
  subscribe()
  await subscribed.promise
  return {
    counts: () => ({ messages, stale }),
    /** Whether it shows these numbers, by the id of a row; of others nothing has moved. */
    shows: (moves: ReadonlyMap<number, number>) =>
      Array.from({ length: windowRows }, (_, place) => parcelId(tenant, depot, place)).every(
        (id) => rows.get(id)?.moves === (moves.get(id) ?? 0),
      ),
    close: () => socket.terminate(),
  }
}
