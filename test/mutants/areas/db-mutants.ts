import { createMutants } from '../mutant.ts'

const locks = 'test/api/lock-order.test.ts'

export const dbMutants = createMutants(
  'db',
  ['test/lib/db/database-error.test.ts', 'test/lib/db/transaction.test.ts'],
  [
    ['failures = 0\n      openMs = undefined', 'openMs = undefined', 'test/lib/db/circuit-breaker.test.ts'],
    [
      'if (failures >= maxFailures) openMs',
      'if (failures > maxFailures) openMs',
      'test/lib/db/circuit-breaker.test.ts',
    ],
    [
      'Math.max(performance.now() - processMs, Date.now() - machineMs)',
      'performance.now() - processMs',
      'test/lib/db/circuit-breaker.test.ts',
    ],
    ["if (typeof value !== 'object') throw", "if (typeof value === 'never') throw", 'test/lib/db/values.test.ts'],
    ['breaker.check()\n    const onLost', 'const onLost', 'test/lib/db/lost-connection.test.ts'],
    ['JSON.stringify(claims, plainValue)', 'JSON.stringify(claims)', 'test/lib/db/row-security.test.ts'],
    ['|40001|40P01)$/', '|40001)$/'],
    ["if (error.code === '55P03')", "if (error.code === '55P04')"],
    ["if (error.code === '57014')", "if (error.code === '57015')"],
    ["if (error.code.startsWith('23'))", "if (error.code.startsWith('235'))"],
    ["new Set(['CONNECTION_LOST', 'DEADLINE'])", "new Set(['CONNECTION_LOST'])", 'test/lib/db/unknown-outcome.test.ts'],
    ["if (command !== 'COMMIT') throw", "if (command === 'never') throw"],
    [
      'if (unanswered > 0) throw new StatementMisuse(unawaited)\n    },\n    commit',
      '},\n    commit',
      'test/lib/db/transaction.test.ts',
    ],
    ['rollback(?!(\\s+(work|transaction))?\\s+to\\b))\\b/i', 'rollback)\\b/i', 'test/api/contained-statements.test.ts'],
    ["text.replace(prelude, '')", 'text', 'test/api/contained-statements.test.ts'],
    ["error.code === '25P02'", "error.code === ''", 'test/api/row-action-refusals.test.ts'],
    [
      'if (leased.delete(connection)) line.advance()',
      'leased.delete(connection)',
      'test/lib/db/lost-connection.test.ts',
      'test/lib/db/pool.test.ts',
    ],
    ['leased.delete(connection)\n      line.advance()', 'leased.delete(connection)', 'test/lib/db/pool.test.ts'],
    [
      'connections.size < size ? open() : calmest',
      'connections.size <= size ? open() : calmest',
      'test/lib/db/pool.test.ts',
      'test/lib/db/round-trips.test.ts',
    ],
    [
      "set_config('table_control.subject', $1, true)",
      "set_config('table_control.subject', $1, false)",
      'test/lib/db/row-security.test.ts',
    ],
    [
      "set_config('table_control.claims', $2, true)",
      "set_config('table_control.claims', $1, true)",
      'test/lib/db/row-security.test.ts',
    ],
    ['this.cancelled = true', 'this.cancelled = null', 'test/lib/db/prepared-texts.test.ts'],
    [
      "severity === 'ERROR' && !endsSession.test(code)",
      "severity === 'ERROR'",
      'test/lib/db/database-error.test.ts',
      'test/lib/db/lost-connection.test.ts',
      'test/lib/db/transaction-loss.test.ts',
      'test/lib/db/pooler.test.ts',
    ],
    [
      'order by ${table.key.expression(statement)} for update of ${table.lockName}` : ',
      'for update of ${table.lockName}` : ',
      locks,
    ],
    [
      'const order = `order by ${table.key.expression(statement)} for update of ${table.lockName}`',
      'const order = `for update of ${table.lockName}`',
      locks,
    ],
  ],
)
