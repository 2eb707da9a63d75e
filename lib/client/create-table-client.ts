import { type Connection, type ConnectOptions, connectBy } from './connect.ts'
import { type DownloadedFile, downloaded } from './download.ts'
import { type JobHandle, jobBy } from './follow-job.ts'
import { inbox } from './inbox.ts'
import type { Message } from './job.ts'
import { downloadsBy } from './own-downloads.ts'
import { notificationsBy } from './read-notifications.ts'
import { readTablesBy } from './read-tables.ts'
import { actionsBy } from './run-actions.ts'
import type { AnyTables, TablesOf } from './table-types.ts'
import { type CallOptions, type ClientOptions, transport } from './transport.ts'

export type TableClient<Source = AnyTables> = ReturnType<typeof createTableClient<Source>>

/**
 * A client of one service. `Source` is the type of a registry, an `OpenApiTables`, or nothing: then names are any text.
 * Whatever takes an `AbortSignal` ends with it; every failure is a `TableError`.
 */
export function createTableClient<Source = AnyTables>(options: ClientOptions) {
  const send = transport(options)
  const listeners = new Set<(message: Message) => void>()
  const listen = (listener: (message: Message) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const box = inbox(send, options.language, (message) => {
    for (const listener of [...listeners]) listener(message)
  })
  return {
    ...readTablesBy<TablesOf<Source>>(send),
    ...actionsBy(send, options.guard, box.watch),
    ...notificationsBy(send),
    ...downloadsBy(send),
    /** Fetches the file behind a link, as answers, jobs and notifications have them. A page goes to `link.url` instead. */
    download: (
      link: { readonly url: string; readonly filename?: string },
      call: CallOptions = {},
    ): Promise<DownloadedFile> => downloaded(options.fetch ?? fetch, link, call),
    job: (id: string): JobHandle => jobBy(send, listen, id),
    /** Opens a socket and keeps it: messages are told in order and once, also those that were missed in between. */
    connect: (connection: ConnectOptions = {}): Connection => {
      const { onMessage, onState } = connection
      const forget = onMessage === undefined ? () => {} : listen(onMessage)
      return connectBy(send, options, box, {
        ...connection,
        onState: (state, error) => {
          if (state === 'closed') forget()
          onState?.(state, error)
        },
      })
    },
  }
}
