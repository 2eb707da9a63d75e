import { translate } from '../i18n/language.ts'
import { guardBasePath } from '../routes.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { TableListing } from '../table/registry.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/**
 * The tables with their labels in the caller's language and the URLs of their structures, in the order that they come
 * in.
 */
export const listTables = (
  { baseUrl, language, config }: Pick<CallerRequest, 'baseUrl' | 'language' | 'config'>,
  tables: readonly TableListing[],
): Payload => {
  const writePrefix = (guard: string) => `${baseUrl}${guardBasePath(guard)}/load-table/`
  const api = writePrefix('api')
  const web = config.GUARDS.includes('web') && writePrefix('web')
  return {
    tables: tables.map(({ name, label }) => {
      const path = encodeURIComponent(name)
      return {
        tableName: name,
        label: translate(label ?? labelFromKey(name), language),
        load_url: { api: api + path, ...(web && { web: web + path }) },
      }
    }),
  }
}
