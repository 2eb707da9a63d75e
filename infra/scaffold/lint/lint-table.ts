import type { Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { LintedTable } from './finding.ts'
import { lintDatabase } from './lint-database.ts'
import { lintFilters } from './lint-filters.ts'
import { lintFormerNames } from './lint-former-names.ts'
import { lintForms } from './lint-forms.ts'
import { lintLabels } from './lint-labels.ts'
import { lintLive } from './lint-live.ts'
import { lintLocale } from './lint-locale.ts'
import { lintLocks } from './lint-locks.ts'
import { lintScope } from './lint-scope.ts'
import { lintSearch } from './lint-search.ts'
import { lintSorts } from './lint-sorts.ts'
import { lintSources } from './lint-sources.ts'

/** Returns all findings of a table, accepted ones included. */
export async function lintTable(sql: Sql, table: CompiledTable): Promise<LintedTable> {
  const inDatabase = await lintDatabase(sql, table)
  const findings = [
    ...lintLabels(table),
    ...lintScope(table),
    ...lintForms(table),
    ...lintFormerNames(table),
    ...inDatabase.findings,
    ...(await lintLive(sql, table)),
    ...(await lintLocks(sql, table)),
  ]
  // Without its columns and their types, the database cannot tell how it would serve a request.
  if (!inDatabase.complete) return { findings, complete: false }
  const slow = [
    ...(await lintSources(sql, table)),
    ...(await lintSorts(sql, table)),
    ...(await lintFilters(sql, table)),
    ...(await lintLocale(sql, table)),
    ...(await lintSearch(sql, table)),
  ]
  return { findings: [...findings, ...slow], complete: true }
}
