import { translate } from '../i18n/language.ts'
import { guardBasePath } from '../routes.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { TableListing } from '../table/registry.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/** The tables with their labels in the caller's language and the URLs of their structures, in the order that they come in. */
export const listTables = (
  { baseUrl, language, config }: Pick<CallerRequest, 'baseUrl' | 'language' | 'config'>,
  tables: readonly TableListing[],
): Payload => ({
  tables: tables.map(({ name, label }) => ({
    tableName: name,
    label: translate(label ?? labelFromKey(name), language),
    load_url: {
      api: `${baseUrl}${guardBasePath('api')}/load-table/${encodeURIComponent(name)}`,
      ...(config.GUARDS.includes('web') && {
        web: `${baseUrl}${guardBasePath('web')}/load-table/${encodeURIComponent(name)}`,
      }),
    },
  })),
})
