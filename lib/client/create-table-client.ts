import { type Connection, type ConnectOptions, connect } from './connect.ts'
import { createDownloadCalls, type DownloadedFile, fetchFile } from './downloads.ts'
import { createJobHandle, type JobHandle } from './follow-job.ts'
import { createInbox } from './inbox.ts'
import type { Message } from './job.ts'
import { notify } from './notify.ts'
import { createNotificationCalls } from './read-notifications.ts'
import { createTableCalls } from './read-tables.ts'
import { createActionCalls } from './run-actions.ts'
import { createSavedViewCalls } from './saved-views.ts'
import type { AnyTables, TablesOf } from './table-types.ts'
import { type CallOptions, type ClientOptions, createTransport, createUrlResolver } from './transport.ts'

export type TableClient<Source = AnyTables> = ReturnType<typeof createTableClient<Source>>

/**
 * Creates a client of one service. `Source` is the type of a registry or an `OpenApiTables`; without it, table and
 * column names are plain strings. Calls end with their `AbortSignal`; every failure is a `TableError`.
 */
export function createTableClient<Source = AnyTables>(options: ClientOptions) {
  const send = createTransport(options)
  const resolveUrl = createUrlResolver(options)
  const listeners = new Set<(message: Message) => void>()
  const listen = (listener: (message: Message) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const inbox = createInbox(send, options.language, (message) => {
    for (const listener of [...listeners]) notify(() => listener(message))
  })
  return {
    ...createTableCalls<TablesOf<Source>>(send),
    ...createActionCalls(send, options.guard, inbox.watch),
    ...createNotificationCalls(send),
    ...createDownloadCalls(send),
    ...createSavedViewCalls<TablesOf<Source>>(send),
    /**
     * Fetches the file behind a link of a response, job or notification. A page that only saves it navigates to
     * `link.url`.
     */
    download: (
      link: { readonly url: string; readonly filename?: string },
      call: CallOptions = {},
    ): Promise<DownloadedFile> => fetchFile(options, resolveUrl, link, call),
    job: (id: string): JobHandle => createJobHandle(send, listen, id),
    /** Opens a socket and keeps it open. Each message is delivered once and in order, missed ones included. */
    connect: (connection: ConnectOptions = {}): Connection<TablesOf<Source>> => {
      const { onMessage, onState } = connection
      const stopListening = onMessage === undefined ? () => {} : listen(onMessage)
      return connect(send, options, inbox, {
        ...connection,
        onState: (state, error) => {
          if (state === 'closed') stopListening()
          notify(() => onState?.(state, error))
        },
      })
    },
  }
}
