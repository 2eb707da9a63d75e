import { createMutants } from '../mutant.ts'

const bulk = 'test/api/bulk-selection.test.ts'

export const actionsMutants = createMutants(
  'actions',
  ['test/api/row-table-action.test.ts', 'test/api/action-entries.test.ts'],
  [
    [
      'appliesTo === undefined || appliesTo(row, context)',
      'true',
      'test/api/row-actions.test.ts',
      'test/api/row-action-refusals.test.ts',
    ],
    ["if (obstacle === 'hidden') return undefined", '', 'test/api/row-actions.test.ts'],
    ["obstacle === 'hidden' ? refusal", 'obstacle ? refusal', 'test/api/disabled-row-actions.test.ts'],
    ["lock === 'lock' ? lockAndRead(run, target, keys, query) :", '', 'test/api/waiting-actions.test.ts'],
    ['if (state !== undefined) return state', '', 'test/api/disabled-row-actions.test.ts'],
    ['refusals.includes(undefined) ? undefined', 'action === undefined ? undefined', 'test/api/undo-requests.test.ts'],
    ['refusals.includes(undefined) ? undefined', 'refusals.length > 0 ? undefined', 'test/api/undo.test.ts'],
    ["['filters', 'params', 'selected_ids', ...", "['filters', 'selected_ids', ...", 'test/api/audit.test.ts'],
    ["and outcome not in ('succeeded', 'queued') limit", 'limit', 'test/api/audit.test.ts'],
    [
      "where known.created_at < now() - interval '24 hours' returning",
      "where known.created_at < now() - interval '48 hours' returning",
      'test/api/idempotency.test.ts',
    ],
    ['table_control.plans where id = $1 for update', 'table_control.plans where id = $1', 'test/api/plans.test.ts'],
    [
      'selected.length > chunk || request.plan !== undefined',
      'selected.length > chunk',
      'test/api/stored-plans.test.ts',
    ],
    [
      "pg_advisory_xact_lock(hashtextextended('plans of ' ||",
      "abs(hashtextextended('plans of ' ||",
      'test/api/stored-plans.test.ts',
    ],
    ['table_control.undos where id = $1 for update', 'table_control.undos where id = $1', 'test/api/undo.test.ts'],
    ['`${search} for update of imports`', 'search', 'test/api/imports.test.ts'],
    [
      "pg_advisory_xact_lock(hashtextextended('table_control.views ' ||",
      "abs(hashtextextended('table_control.views ' ||",
      'test/api/saved-views.test.ts',
    ],
    ['JSON.stringify(request, plainValue)', 'JSON.stringify(request)', 'test/api/idempotency.test.ts'],
    ['if (hash !== requestHash) throw', 'if (hash === undefined) throw', 'test/api/idempotency.test.ts'],
    ["and created_at >= now() - interval '24 hours'", '', 'test/api/idempotency.test.ts'],
    ["filters: ownValue(body, 'filters'), sorts, extensions }", 'filters: undefined, sorts, extensions }', bulk],
    ['if (unknown.length === 0) {\n', 'if (unknown.length < 9) {\n', bulk],
    ["readIds(ids, 'selected_ids', 1, maxIds).length", 'ids.length', 'test/api/exports.test.ts'],
    [
      'if (fits({ body }, headerBytes, true)) return',
      "if (body !== '') return",
      'test/api/undeliverable-action.test.ts',
    ],
    [
      "if (invocation.isOverdue) throw new RequestError('timed_out')",
      '',
      'test/api/unknown-outcome.test.ts',
      'test/api/unknown-outcome.test.ts',
    ],
    [
      'recordRefusal(run, entry, outcome)).catch(() => undefined)\n    throw error',
      'recordRefusal(run, entry, outcome)).catch(() => undefined)',
      'test/api/audit.test.ts',
      'test/api/row-action-refusals.test.ts',
    ],
    [
      'if (refusal !== undefined) throw refuse(refusal.text, refusal.code)\n  return {}',
      'return {}',
      'test/api/row-action-refusals.test.ts',
      'test/api/row-action-several-rows.test.ts',
    ],
    [
      'if (refusal !== undefined) throw refuse(refusal.text, refusal.code)\n  return { key',
      'return { key',
      'test/api/row-action-refusals.test.ts',
    ],
    [
      'if (refusal !== undefined) failed.set(key, refusal)\n    else if (row',
      'if (row',
      'test/api/row-bulk-table-action.test.ts',
      'test/api/row-action-several-rows.test.ts',
    ],
    ['const isShown = digest === describeItems(request)', 'const isShown = true', 'test/api/changed-tables.test.ts'],
    ['path: presentPath, body, ...sent }', 'path: presentPath, body }', 'test/api/changed-tables.test.ts'],
  ],
)
