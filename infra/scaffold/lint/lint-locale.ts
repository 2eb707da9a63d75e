import type { Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { localeFault } from '../../local/database/database-locale.ts'
import { createFinding, type Finding } from './finding.ts'

/** Tables that search texts in a database whose locale does not know the letters beyond ASCII. */
export async function lintLocale(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const searched = [...table.filters.values()].filter(({ operators }) => operators.some((one) => one.endsWith('like')))
  const fault = searched.length === 0 ? undefined : await localeFault(sql)
  if (fault === undefined) return []
  const text = `${fault} (${searched.map(({ name }) => name).join(', ')})`
  const fix =
    "a database created with locale_provider builtin, builtin_locale 'C.UTF-8' and lc_ctype 'C.UTF-8', or with a libc locale in UTF-8"
  return [createFinding(table, 'locale', 'like', { level: 'warning', text, fix })]
}
