import { createMutants } from '../mutant.ts'

export const pushMutants = createMutants(
  'push',
  ['test/api/socket-ticket.test.ts', 'test/lib/push/push.test.ts'],
  [
    [
      'set subject = excluded.subject, expires_at = excluded.expires_at, identity',
      'set expires_at = excluded.expires_at, identity',
    ],
    [
      'identity === undefined || !hasSameRights(restricted.to, identity)',
      'identity === undefined',
      'test/lib/jobs/broadcasts.test.ts',
    ],
    [
      'where subject = $1 and expires_at > now() order by connected_at desc`',
      'where subject = $1 order by connected_at desc`',
    ],
    [
      "pg_advisory_xact_lock(hashtextextended('table_control.sockets ' ||",
      "abs(hashtextextended('table_control.sockets ' ||",
      'test/api/socket-connect.test.ts',
    ],
    [
      'where connection_id = $1 and subject = $2 and expires_at > now() for update`',
      'where connection_id = $1 and subject = $2 and expires_at > now()`',
      'test/api/live-rows.test.ts',
    ],
    [
      'JSON.stringify(identity, plainValue),\n      guard',
      'JSON.stringify(identity),\n      guard',
      'test/api/live-rows-budget.test.ts',
    ],
    ['limit ${maxMarked} for update)', 'limit ${maxMarked})', 'test/api/notifications.test.ts'],
    ['if (parts.length > room) return', 'if (parts.length > room + 2) return', 'test/api/live-rows.test.ts'],
    ["if (isTruncate === true) return createStale(subscription, 'truncated')\n", '\n', 'test/api/live-writers.test.ts'],
    [
      'where table_name = $1 and number = $2 for update',
      'where table_name = $1 and $2 > 0 for update',
      'test/api/live-writers.test.ts',
    ],
    [
      'if (beginsPoll) poll = await beginPoll(run, table)',
      'poll = await beginPoll(run, table)',
      'test/api/live-writers.test.ts',
    ],
    [
      'where tgrelid = to_regclass($2) and tgfoid',
      'where $2::text is not null and tgfoid',
      'test/api/live-writers.test.ts',
    ],
    ["case when ${isAhead('sent_at')} then 0 when", 'case when false then 0 when', 'test/api/live-rows.test.ts'],
    ['when sent_count = 1 and sent_at +', 'when false and sent_at +', 'test/api/live-rows.test.ts'],
    ["if (isPostponed) return createStale(subscription, 'too_many')\n", '\n', 'test/api/live-rows.test.ts'],
    [
      "if (shown === undefined) return createStale(subscription, 'unsent')",
      'if (shown === undefined) return []',
      'test/api/live-rows-budget.test.ts',
    ],
    ['if (lacksTrigger && poll?.isBegun) log(', 'if (poll === undefined) log(', 'test/api/live-writers.test.ts'],
    [
      'isPersonal() || claims === undefined ? undefined',
      'claims === undefined ? undefined',
      'test/api/live-rows-budget.test.ts',
    ],
    [
      'where connection_id = $1 and subject = $2 and expires_at > now() for update',
      "where connection_id = $1 and $2 <> '' and expires_at > now() for update",
      'test/api/live-rows.test.ts',
    ],
    [' - begunAt > maxSendingMs ?', ' - begunAt > maxSendingMs * 9 ?', 'test/api/live-rows-budget.test.ts'],
    ["return 'unread'\n", 'throw error\n', 'test/api/live-rows-budget.test.ts'],
    ['if (missed.length === 0) return', 'return', 'test/api/live-rows-budget.test.ts'],
    [
      'updates.id = watch.id and updates.seq = watch.seq\n',
      'updates.id = watch.id\n',
      'test/api/live-rows-budget.test.ts',
    ],
    ['if (gone.length > 0) throw', 'if (gone.length > 9) throw', 'test/api/changed-tables.test.ts'],
    ['body: presentPage(opened.view, body)', 'body', 'test/api/changed-tables.test.ts'],
    ['await sendLatest()\n      await sent\n', 'await sendLatest()\n', 'test/lib/push/job-events.test.ts'],
    ['if (!reporting) void report()', '', 'test/lib/push/job-events.test.ts'],
  ],
)
