import { expect } from 'vitest'
import { applyRowMessage, type LivePage } from '../../lib/client/live-rows.ts'
import { north } from '../support/fixtures/identities.ts'
import type { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

type WatchingInstallation = Awaited<ReturnType<typeof startWatchingInstallation>>

/**
 * Subscribes to the first page of a table, and returns what a client shows of it after each poll, beside the page of
 * query-table.
 */
export async function showPage(live: WatchingInstallation, table: string) {
  const watcher = await live.watch()
  const query = { perPage: 100 }
  const token = live.tokenFor(north)
  const reply = await watcher.ask({ event: 'subscribe', id: 'page', table, token, query })
  const read = async () => (await live.actions.post(`query-table/${table}`, query)).json.items
  expect(reply.data.items).toEqual(await read())
  let shown: LivePage<{ readonly id: string | number }> = { items: reply.data.items, seq: 0, status: 'current' }
  let applied = 1
  return {
    /** Returns the events of a poll, after which the client shows the page of query-table. */
    afterPoll: async () => {
      await live.sql`update table_control.subscriptions set sent_at = now() - interval '1 minute'`
      const [row] = await live.sql`select number from table_control.row_polls where table_name = ${table}`
      await live.receive([{ v: 1, watched: table, poll: row?.['number'] }])
      await watcher.listReceived()
      const messages = watcher.messages.slice(applied).filter(({ event }) => event.startsWith('rows.'))
      applied = watcher.messages.length
      // biome-ignore lint/suspicious/noExplicitAny: a message as it came
      for (const message of messages) shown = applyRowMessage(shown, message as any)
      expect(shown.status).toBe('current')
      expect(shown.items).toEqual(await read())
      return { items: shown.items, events: messages.map(({ event }) => event) }
    },
  }
}
