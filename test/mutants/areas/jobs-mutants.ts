import { createMutants } from '../mutant.ts'

const leases = 'test/lib/jobs/lease.test.ts'
const importsUnderWay = 'test/api/imports-under-way.test.ts'
const sweeps = 'test/lib/jobs/sweep.test.ts'

export const jobsMutants = createMutants(
  'jobs',
  ['test/api/jobs.test.ts', 'test/api/job-faults.test.ts'],
  [
    ["ofLeasedJob(' and lease_until > now()')", 'ofLeasedJob()', leases],
    ['where ${condition} for update`, parameters)', 'where ${condition}`, parameters)'],
    [
      'revoked_at is null and expires_at > now() for update)',
      'revoked_at is null and expires_at > now())',
      'test/api/own-downloads.test.ts',
    ],
    ['done = done + $3, attempts = 1,', 'done = done + $3,', 'test/api/job-faults.test.ts'],
    [
      "if (row === undefined) return 'lost'\n  return row[0]",
      "if (row === undefined) return 'renewed'\n  return row[0]",
      leases,
    ],
    ["return row[0] === true ? 'cancelled' : 'renewed'", "return 'renewed'", leases],
    ["if (performance.now() > leasedUntil) stop.abort(new JobStopped('lost'))", '', leases],
    [
      "state = 'unknown', code = 'interrupted', updated_at = now()\n",
      "state = 'pending', code = null, updated_at = now()\n",
      'test/lib/jobs/killed-worker.test.ts',
    ],
    [
      'else true end\n  and (not_before is null or not_before <= now())`',
      'else true end`',
      'test/api/job-faults.test.ts',
      leases,
    ],
    [
      "where id = $1 and subject = $2 and kind <> 'import' and state in ('queued', 'running') returning",
      "where id = $1 and $2 <> '' and kind <> 'import' and state in ('queued', 'running') returning",
      'test/api/jobs.test.ts',
      'test/api/unfinished-jobs.test.ts',
    ],
    ["[...selectionKeys, 'excluded_ids']", '[]', 'test/upgrade/upgrade.test.ts'],
    ['attempts = attempts + 1, lease_token', 'lease_token', 'test/api/job-faults.test.ts'],
    ["and (state = 'running' or created_at > now() - interval '1 day')", '', sweeps],
    [
      'await lockRows(transaction, target, keys)\n  return findOut',
      'return findOut',
      'test/lib/jobs/planned-jobs.test.ts',
    ],
    ["(state = 'queued' or lease_until < now())", 'true', sweeps],
    ["case state when 'running' then lease_until < now() else true end", 'true', 'test/lib/jobs/killed-worker.test.ts'],
    [
      'await Promise.all([...keys].map((key) => removeObject(config, key)))\n    await database.transaction(({ run }) => run(removal, [some.map(({ id }) => id)]))',
      'await database.transaction(({ run }) => run(removal, [some.map(({ id }) => id)]))\n    await Promise.all([...keys].map((key) => removeObject(config, key)))',
      sweeps,
    ],
    ['signal.throwIfAborted()\n  const stored', 'const stored', importsUnderWay],
    [
      "if (typeof found[0] === 'string') return JSON.parse(found[0])",
      "if (typeof found[0] === 'string') return summary",
      importsUnderWay,
    ],
    [
      '`cell of an import\\n${JSON.stringify([importId, rowKey, field])}`',
      "'cell of an import'",
      'test/api/imports.test.ts',
    ],
    ['found.length + repeated.size > maxEntries', 'found.length > maxEntries', 'test/api/imports-bad-input.test.ts'],
    ['if (bytes > maxValueBytes)', 'if (bytes < 0)', 'test/api/imports-bad-input.test.ts'],
    ['(isShared ? [] : [key])', '[key]', sweeps, 'test/api/own-downloads.test.ts'],
    ["if (own?.state === 'failed' && own.code !== untried) return", '', 'test/api/failure-mails.test.ts'],
    ["state === 'cancelled') return\n", "state === 'never') return\n", 'test/api/failure-mails.test.ts'],
    [
      '(run, subject, maxUnfinished + 1)) > maxUnfinished)',
      '(run, subject, maxUnfinished + 1)) > 2 * maxUnfinished)',
      'test/api/bulk-responses.test.ts',
    ],
  ],
)
