import { createMutants } from './mutant.ts'

const paging = 'test/api/query-paging.test.ts'
const cursors = 'test/api/cursor.test.ts'
const queryFilters = 'test/api/query-filters.test.ts'
const edges = 'test/lib/query/filter-edges.test.ts'

const query = createMutants(
  'query',
  [queryFilters, edges],
  [
    [
      'isEveryRow(scope) ? [] : [`(${renderSql(statement, scope)})`]',
      'isEveryRow(scope) ? [] : [renderSql(statement, scope)]',
      'test/api/raw-scope.test.ts',
    ],
    ["` where ${conditions.join(' and ')}`", "` where ${conditions.join(' or ')}`"],
    [
      "operator === '!=' ? 'is distinct from' : operator\n    return",
      "operator === '!=' ? '<>' : operator\n    return",
    ],
    [
      "operator.startsWith('>') ? \"< 'Infinity'\" : \"> '-Infinity'\"",
      "operator.startsWith('>') ? \"> '-Infinity'\" : \"< 'Infinity'\"",
    ],
    ['/[\\\\%_]/g', '/[\\\\%]/g'],
    ['`(${condition(statement)}) is not true`', '`not (${condition(statement)})`'],
    [
      "operator.startsWith('<') ? ['<=', floor] : ['>=', floor + 1n]",
      "operator.startsWith('<') ? ['<=', floor] : ['>=', floor]",
    ],
    ["symbol.startsWith('<') === bound > most", "symbol.startsWith('<') === bound < most"],
    ['(digits < 0n && !isWhole ? 1n : 0n)', '(digits < 0n && !isWhole ? 0n : 0n)'],
    [
      "`${expression} ${operator === '<=' ? '<' : '>='} ${end()}`",
      "`${expression} ${operator === '<=' ? '<=' : '>='} ${end()}`",
      'test/api/query-dates.test.ts',
    ],
    [
      "operator === '=' ? within : `${within} is not true`",
      "operator === '=' ? within : `not ${within}`",
      'test/api/query-dates.test.ts',
    ],
    [
      "nulls === (direction === 'asc' ? 'last' : 'first') ? text",
      "nulls === (direction === 'asc' ? 'first' : 'last') ? text",
      'test/api/query-sorts.test.ts',
    ],
    [
      "=== 'desc' ? '<' : '>'} (${right})`",
      "=== 'desc' ? '<=' : '>='} (${right})`",
      cursors,
      'test/properties/pages.test.ts',
    ],
    ['steps.slice(0, index).map', 'steps.slice(1, index).map', cursors, 'test/properties/pages.test.ts'],
    [
      'after: sort.source.nullable && !nullsFirst ? `(${beyond} or ${expression} is null)` : beyond',
      'after: beyond',
      cursors,
      'test/properties/pages.test.ts',
    ],
    [
      "JSON.stringify([operator, operator.endsWith('like') ? String(value).toLowerCase() : value])",
      'JSON.stringify([operator, String(value).toLowerCase()])',
      queryFilters,
    ],
    ["if (value === 'all' && withAll.has(filter.type))", "if (value === 'all')"],
    ["new Set(['select', 'multi_select', 'boolean', 'null'])", "new Set(['select', 'multi_select', 'null'])"],
    ['${context.length} ${context}${text}`', '${context.length} ${context}`', cursors],
    ["|| sealed.toString('base64url') !== text) return undefined", ') return undefined', cursors],
    ['setAAD(Buffer.from(context)).setAuthTag', 'setAAD(Buffer.from(String(context).slice(0, 1))).setAuthTag', cursors],
    [
      'if (end >= 0) return order.slice(0, end + 1)',
      'if (end >= 0) return order.slice(0, end)',
      'test/lib/query',
      'test/properties/round-trips.test.ts',
    ],
    ["direction: order.at(-1)?.direction ?? 'asc' }]", "direction: 'asc' }]", 'test/api/query-sorts.test.ts'],
    [
      "count === 'estimated' && !mayEstimate(opened, opened) ? 'capped' : count",
      'count',
      paging,
      'test/properties/oracle.test.ts',
      'test/properties/scope.test.ts',
    ],
    [
      'if (memory.fitted(fitKey) === true || !(isEstimable || wasStopped)) await countAll()\n      else if (isEstimable) await predict()',
      'await predict()',
      'test/api/totals.test.ts',
    ],
    ['counted > cap ? { total: cap', 'counted >= cap ? { total: cap', paging, 'test/properties/oracle.test.ts'],
  ],
)

const locks = 'test/api/lock-order.test.ts'
const db = createMutants(
  'db',
  ['test/lib/db/database-error.test.ts', 'test/lib/db/transaction.test.ts'],
  [
    ['failures = 0\n      closedAgainAt = 0', 'closedAgainAt = 0', 'test/lib/db/circuit-breaker.test.ts'],
    [
      'if (failures >= maxFailures) closed',
      'if (failures > maxFailures) closed',
      'test/lib/db/circuit-breaker.test.ts',
    ],
    ['|40001|40P01)$/', '|40001)$/'],
    ["if (error.code === '55P03')", "if (error.code === '55P04')"],
    ["if (error.code === '57014')", "if (error.code === '57015')"],
    ["if (error.code.startsWith('23'))", "if (error.code.startsWith('235'))"],
    ["new Set(['CONNECTION_LOST', 'DEADLINE'])", "new Set(['CONNECTION_LOST'])", 'test/lib/db/unknown-outcome.test.ts'],
    ["if (command !== 'COMMIT') throw", "if (command === 'never') throw"],
    [
      'if (unanswered > 0) throw new Error(unawaited)\n    },\n    commit',
      '},\n    commit',
      'test/lib/db/transaction.test.ts',
    ],
    ['rollback(?!\\s+to\\b))\\b/i', 'rollback)\\b/i'],
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

const auth = createMutants(
  'auth',
  ['test/lib/auth'],
  [
    ['if (nowSeconds >= exp)', 'if (nowSeconds > exp + 60)'],
    ['nowSeconds < nbf - graceSeconds', 'nowSeconds < nbf - 86_400'],
    ['iat > nowSeconds + maxHeadStartSeconds', 'iat > nowSeconds + 86_400'],
    ["sub.trim() === ''", "sub === ''"],
    ['if (!isGenuine(signed)) throw', 'if (!isGenuine(signed) && signed.alg === undefined) throw'],
    ["signature.toString('base64url') !== token.slice(end + 1)", 'signature.length === 0'],
    ['if (!compact.test(token)) throw', "if (token === '') throw"],
    ['if (!key?.algorithms.includes(alg)) throw', 'if (key === undefined) throw'],
    ['crit: z.optional(z.never())', 'crit: z.optional(z.any())'],
    ['issuers: [issuer],', 'issuers: [issuer, jwksUrl],'],
    ["payload['token_use'] !== tokenUse", "payload['token_use'] === undefined"],
    ['jwks.absentKids.clear()', ''],
    ['const maxKeyAgeMs = 60 * 60_000', 'const maxKeyAgeMs = 600 * 60_000'],
    ['if (size > maxJwksBytes) throw', 'if (size > 100 * maxJwksBytes) throw'],
    ["protocol === 'http:' && loopback.has(hostname)", "protocol === 'http:'"],
  ],
)

const bulk = 'test/api/bulk-selection.test.ts'
const actions = createMutants(
  'actions',
  ['test/api/row-table-action.test.ts', 'test/api/action-entries.test.ts'],
  [
    [
      'appliesTo === undefined || appliesTo(row, context) === true',
      'true',
      'test/api/row-actions.test.ts',
      'test/api/row-action-refusals.test.ts',
    ],
    ["['filters', 'params', 'selected_ids', ...", "['filters', 'selected_ids', ...", 'test/api/audit.test.ts'],
    ["and outcome not in ('succeeded', 'queued') limit", 'limit', 'test/api/audit.test.ts'],
    [
      "where known.created_at < now() - interval '24 hours' returning",
      "where known.created_at < now() - interval '48 hours' returning",
      'test/api/idempotency.test.ts',
    ],
    ['if (hash !== requestHash) throw', 'if (hash === undefined) throw', 'test/api/idempotency.test.ts'],
    ["and created_at >= now() - interval '24 hours'", '', 'test/api/idempotency.test.ts'],
    ["filters: own(body, 'filters'), sorts, extensions }", 'filters: undefined, sorts, extensions }', bulk],
    ['if (unknown.length === 0) return plan', 'return plan', bulk],
    ['new Set(ids.map(String)).size', 'ids.length', bulk],
    [
      "if (typeof reply.body === 'string') await assertDeliverableJson",
      'if (reply.status === 1) await assertDeliverableJson',
      'test/api/undeliverable-action.test.ts',
    ],
    [
      "if (invocation.isOverdue) throw new RequestError('timed_out')",
      '',
      'test/api/unknown-outcome.test.ts',
      'test/api/unknown-outcome.test.ts',
    ],
    [
      '.catch(() => undefined)\n    throw error',
      '.catch(() => undefined)',
      'test/api/audit.test.ts',
      'test/api/row-action-refusals.test.ts',
    ],
    [
      'if (refusal !== undefined) throw refuse(refusal.text, refusal.code)',
      '',
      'test/api/row-action-refusals.test.ts',
      'test/api/row-action-several-rows.test.ts',
    ],
    [
      "else failed.set(key, rowFailure('action_not_applicable'))",
      'else rows.set(key, row)',
      'test/api/row-bulk-table-action.test.ts',
      'test/api/row-action-several-rows.test.ts',
    ],
  ],
)

const leases = 'test/lib/jobs/lease.test.ts'
const sweeps = 'test/lib/jobs/sweep.test.ts'
const jobs = createMutants(
  'jobs',
  ['test/api/jobs.test.ts', 'test/api/job-faults.test.ts'],
  [
    ["ofLeasedJob(' and lease_until > now()')", 'ofLeasedJob()', leases],
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
      "(state = 'queued' or (${isAbandoned})) and (not_before is null or not_before <= now())`",
      "(state = 'queued' or (${isAbandoned}))`",
      'test/api/job-faults.test.ts',
      leases,
    ],
    [
      "where id = $1 and subject = $2 and state in ('queued', 'running') returning",
      "where id = $1 and $2 <> '' and state in ('queued', 'running') returning",
      'test/api/jobs.test.ts',
      'test/api/unfinished-jobs.test.ts',
    ],
    ['attempts = attempts + 1, lease_token', 'lease_token', 'test/api/job-faults.test.ts'],
    ["and (state = 'running' or created_at > now() - interval '1 day')", '', sweeps],
    ['isAbandoned = "state = \'running\' and lease_until < now()"', 'isAbandoned = "state = \'running\'"', sweeps],
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

const http = createMutants(
  'http',
  ['test/api/envelope.test.ts', 'test/api/transport.test.ts'],
  [
    [
      "allowCredentials: ALLOWED_ORIGINS.length > 0 && !ALLOWED_ORIGINS.includes('*')",
      'allowCredentials: ALLOWED_ORIGINS.length > 0',
      'test/api/preflight.test.ts',
      'test/infra/gateway-cors.test.ts',
    ],
    ["candidate.trim() === '*' || ", '', 'test/api/entity-tag.test.ts'],
    [
      "vary: 'authorization, ln, accept-language, accept-encoding'",
      "vary: 'accept-encoding'",
      'test/api/entity-tag.test.ts',
    ],
    [
      'return await withDeadline(answer, running.config.REQUEST_DEADLINE_MS)',
      'return await answer',
      'test/api/socket-connect.test.ts',
    ],
    [
      'error instanceof RequestError && error.status < 500) return undefined',
      'error instanceof RequestError) return undefined',
      'test/api/list-tables.test.ts',
    ],
    ['allowed.includes(origin)) return\n', "origin !== '') return\n", 'test/api/socket-connect.test.ts'],
    [
      "invocation.mayHaveCommitted ? 'outcome_unknown' : 'timed_out'",
      "'timed_out'",
      'test/api/unknown-outcome.test.ts',
    ],
    ['if (size > maxBodyBytes) throw', 'if (size > 2 * maxBodyBytes) throw'],
    ['if (++depth > maxDepth) return true', '++depth', 'test/api/bad-input.test.ts', 'test/api/transport.test.ts'],
    [
      "new TextDecoder('utf-8', { fatal: true }).decode(bytes)\n",
      "new TextDecoder('utf-8').decode(bytes)\n",
      'test/api/bad-input.test.ts',
      'test/api/transport.test.ts',
    ],
    ["'x-content-type-options': 'nosniff',\n  'cache-control': 'no-store'", "'cache-control': 'no-store'"],
    ['/^[\\w.:-]{1,64}$/', '/^.{1,64}$/', 'test/lib/http/log.test.ts', 'test/api/request-log.test.ts'],
    ['if (inner !== undefined) merged[inner] = value', '', 'test/api/params.test.ts'],
  ],
)

const reports = createMutants(
  'reports',
  ['test/lib/reports/csv-format.test.ts', 'test/lib/reports/csv.test.ts'],
  [
    ["',': ';\\\\t|', ';'", "',': '', ';'"],
    ["const formulaStarts = '=+@\\\\t\\\\r\\\\n", "const formulaStarts = '=+@"],
    ['/[;\\t|]["\'\\s]{0,10}[=+@＝＋－＠-]/', '/[;|]["\'\\s]{0,10}[=+@＝＋－＠-]/'],
    ["safe.replaceAll('\"', '\"\"')", 'safe'],
    ["if (text === '') return '\"\"'", "if (text === '') return ''"],
    ['const maxDigits = 15', 'const maxDigits = 17', 'test/lib/reports/excel-cells.test.ts'],
    [
      'const maxCharacters = 32_767',
      'const maxCharacters = 33_767',
      'test/lib/reports/excel-cells.test.ts',
      'test/lib/reports/excel.test.ts',
    ],
    [
      "replace(escapeLike, '_x005F_')\n  cut",
      "replace(escapeLike, '_')\n  cut",
      'test/lib/reports/excel-cells.test.ts',
    ],
    ['const longest = 31', 'const longest = 32', 'test/lib/reports/report-file.test.ts'],
    [
      'const firstSerial = 61',
      'const firstSerial = 1',
      'test/lib/reports/excel-cells.test.ts',
      'test/lib/reports/excel.test.ts',
    ],
    [
      "set local idle_in_transaction_session_timeout = '5min'",
      "set local idle_in_transaction_session_timeout = '1ms'",
      'test/lib/reports/report-batches.test.ts',
    ],
    [
      'const isLast = rows.length < batchSize',
      'const isLast = rows.length <= batchSize',
      'test/lib/reports/report-batches.test.ts',
    ],
    ['Math.floor(index / 26) - 1', 'Math.floor(index / 26)', 'test/lib/reports/report-file.test.ts'],
  ],
)

const client = createMutants(
  'client',
  ['test/lib/client/connection.test.ts', 'test/lib/client/inbox.test.ts'],
  [
    ['next = page.next\n', 'next = null\n'],
    ["errors?.[language === 'ar' ? 1 : 0]\n  return job.status", 'errors?.[0]\n  return job.status'],
    ['await catchUp(ended)\n          attempt = 0', 'await catchUp(ended)'],
    ['error.status === 401 && !isRenewed', 'error.status === 1 && !isRenewed', 'test/lib/client/client.test.ts'],
    [
      "code === 'outcome_unknown' && idempotencyKey !== undefined",
      "code === 'outcome_unknown'",
      'test/lib/client/client.test.ts',
    ],
    ["target.startsWith('./')", "target.startsWith('.')", 'test/lib/client/client.test.ts'],
  ],
)

/** Deliberate mistakes in the areas where one costs most, each of which the tests of its area must notice. */
export const mutants = [...query, ...db, ...auth, ...actions, ...jobs, ...http, ...reports, ...client]
