import type { Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { Finding } from './finding.ts'
import { lintDatabase } from './lint-database.ts'
import { lintFilters } from './lint-filters.ts'
import { lintLabels } from './lint-labels.ts'
import { lintScope } from './lint-scope.ts'
import { lintSorts } from './lint-sorts.ts'

/** All that will hurt about a table, before what its author has accepted is taken off. */
export async function lintTable(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const inDatabase = await lintDatabase(sql, table)
  const findings = [...lintLabels(table), ...lintScope(table), ...inDatabase]
  // Without its columns, the database cannot tell how it would serve a request.
  if (inDatabase.some(({ rule }) => rule === 'in-database')) return findings
  return [...findings, ...(await lintSorts(sql, table)), ...(await lintFilters(sql, table))]
}
