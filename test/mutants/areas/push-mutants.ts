import { createMutants } from '../mutant.ts'

export const pushMutants = createMutants(
  'push',
  ['test/api/socket-ticket.test.ts', 'test/lib/push/push.test.ts'],
  [
    [
      'do update set subject = excluded.subject, expires_at = excluded.expires_at',
      'do update set expires_at = excluded.expires_at',
    ],
    [
      'where subject = $1 and expires_at > now() order by connected_at desc`',
      'where subject = $1 order by connected_at desc`',
    ],
    ['if (parts.length > room) return', 'if (parts.length > room + 2) return', 'test/api/live-rows.test.ts'],
    ["if (isTruncate === true) return createStale(subscription, 'truncated')\n", '\n', 'test/api/live-writers.test.ts'],
    [
      'where table_name = $1 and number = $2 for update',
      'where table_name = $1 and $2 > 0 for update',
      'test/api/live-writers.test.ts',
    ],
    [
      'if (beginsPoll) poll = await beginPoll(run, table.name)',
      'poll = await beginPoll(run, table.name)',
      'test/api/live-writers.test.ts',
    ],
  ],
)
