import type { TableWithRow } from './reading-steps.ts'
import type { SmokeTarget } from './service-call.ts'
import type { SmokeSocket } from './smoke-socket.ts'
import { StepFailure } from './step-failure.ts'
import type { Steps } from './steps.ts'

/** The statement of the trigger of each table with `live: true`, by the table's name. */
export type LiveTriggers = ReadonlyMap<string, string>

/**
 * Watches each live table that the caller sees for a moment: the reply says whether its trigger tells of the writes of
 * other programs.
 */
export async function takeLiveTables(
  steps: Steps,
  { token, guards }: SmokeTarget,
  socket: SmokeSocket | undefined,
  tables: readonly Pick<TableWithRow, 'table'>[] | undefined,
  triggers: LiveTriggers,
): Promise<void> {
  if (triggers.size === 0) return
  await steps.take({
    name: 'triggers of live tables',
    advice: { likely: 'The function socket-message cannot work', fix: 'RUNBOOK.md, "WebSockets fail"' },
    given: socket && tables && { socket, names: tables.map(({ table }) => table.tableName) },
    run: async ({ socket, names }) => {
      const live = names.filter((name) => triggers.has(name))
      const lacking: string[] = []
      for (const name of live) {
        const query = { perPage: 1, row_actions: 'keys' }
        const { data } = await socket.ask({ event: 'subscribe', id: name, table: name, token, guard: guards[0], query })
        if (data?.['other_writers'] === false) lacking.push(name)
        await socket.ask({ event: 'unsubscribe', id: name })
      }
      if (lacking.length > 0)
        throw new StepFailure(`no enabled trigger reports all changes of ${lacking.join(', ')}`, {
          likely: 'No migration makes the trigger, or it is disabled: pages do not show the writes of other programs',
          fix: `npm run table:lint says which; where it is missing, as the owner of the table: ${lacking.map((name) => triggers.get(name)).join('; ')}`,
        })
      return { seen: true, detail: live.join(', ') || 'the caller sees none' }
    },
  })
}
