import { createMutants } from '../mutant.ts'

export const clientMutants = createMutants(
  'client',
  ['test/lib/client/connection.test.ts', 'test/lib/client/inbox.test.ts'],
  [
    ['next = page.next\n', 'next = null\n'],
    ["errors?.[language === 'ar' ? 1 : 0]\n  return job.status", 'errors?.[0]\n  return job.status'],
    ['await catchUp(ended)\n          attempt = 0', 'await catchUp(ended)'],
    ['error.status === 401 && !isRenewed', 'error.status === 1 && !isRenewed', 'test/lib/client/client.test.ts'],
    [' && (isRepeatable || idempotencyKey !== undefined)', '', 'test/lib/client/client.test.ts'],
    ['entry?.enabled !== false && entry', 'entry', 'test/lib/client/client.test.ts'],
    ['{ cells, expected_version }, again', '{ cells }, again', 'test/api/change-client.test.ts'],
    ["toVersions(rows) ? ['version'] : []", '[]', 'test/api/change-client.test.ts'],
    ["typeof value === 'number' && isText && !isNumeric", 'false', 'test/api/grid-editing.test.ts'],
    [
      "findVersion(table, id, meta.expectedVersion, after['_version'], before['_version'])",
      'findVersion(table, id)',
      'test/api/provider-editing.test.ts',
    ],
    ["isInside ? '' : folder", "''", 'test/lib/client/client-options.test.ts'],
    ['page.table === table', 'page.table !== table', 'test/lib/client/live-adapters.test.ts'],
    ['users.size > 0 && !ended', '!ended', 'test/lib/client/live.test.ts'],
    ['!isKey && valueCols', '!isKey || valueCols', 'test/api/grid-groups-and-facets.test.ts'],
    ['pageAt(start, end - start)', 'pageAt(0, end - start)', 'test/lib/client/adapters.test.ts'],
    ['saved ? [saved] : []', '[saved]', 'test/api/provider-editing.test.ts'],
    ["|| page.status === 'stale' ||", '||', 'test/lib/client/live-rows.test.ts'],
  ],
)
