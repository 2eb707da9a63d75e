import type { LiveProvider } from '@refinedev/core'
import type { AnyClient } from './grid-client.ts'
import { type AnyLive, type WatchedPages, watchPages } from './watch-pages.ts'

export interface RefineLive<Client> extends WatchedPages<Client> {
  readonly liveProvider: LiveProvider
}

interface Listener {
  readonly channel: string
  readonly callback: Parameters<LiveProvider['subscribe']>[0]['callback']
}

/**
 * Creates a live provider for refine's `liveMode`, and the client for its data provider: the ten latest lists that it
 * loads are watched until the last component that is subscribed to their resource is gone.
 *
 * @example
 * const { client: watched, liveProvider } = refineLive(client, live)
 * const dataProvider = refineDataProvider(watched, baseUrl)
 * <Refine dataProvider={dataProvider} liveProvider={liveProvider} options={{ liveMode: 'auto' }} />
 */
export function refineLive<Client extends AnyClient>(client: Client, live: AnyLive): RefineLive<Client> {
  const listeners = new Set<Listener>()
  const toChannel = (table: string) => `resources/${table}`
  const watched = watchPages(client, live, ({ table, ids }) => {
    for (const { channel, callback } of listeners) {
      if (channel === toChannel(table))
        callback({ channel, type: 'updated', payload: { ids: [...ids] }, date: new Date() })
    }
  })
  return {
    ...watched,
    liveProvider: {
      subscribe: ({ channel, callback }) => {
        const listener = { channel, callback }
        listeners.add(listener)
        return listener
      },
      unsubscribe: (listener: Listener) => {
        listeners.delete(listener)
        if ([...listeners].every(({ channel }) => channel !== listener.channel))
          watched.stop(listener.channel.slice(toChannel('').length))
      },
    },
  }
}
