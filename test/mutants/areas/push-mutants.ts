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
  ],
)
