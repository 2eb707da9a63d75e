import type { Identity } from '../../../lib/auth/identity.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { type AdmittedTable, type OpenedTable, openTable } from '../../../lib/table/open-table.ts'

interface Caller {
  readonly identity?: Identity
  readonly language?: 'en' | 'ar'
  readonly timeZone?: string
}

/** Opens a table without middlewares, which a test may skip, for a caller on the guard `api`. */
export function openTestTable(
  table: CompiledTable,
  { identity = { subject: 'nora', claims: {} }, language = 'en', timeZone = 'UTC' }: Caller = {},
): OpenedTable {
  const admitted = { table, identity } as AdmittedTable
  const config: Parameters<typeof openTable>[1]['config'] = {
    TIME_ZONE: timeZone,
    ITEM_ACTIONS: 'both',
    ADVANCED_FILTERS: 'repeated',
    GUARDS: ['api', 'web'],
    MAIL: 'on',
  }
  return openTable(admitted, { language, guard: 'api', baseUrl: '', config }, undefined)
}
