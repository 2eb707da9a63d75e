import type { DataProvider } from 'ra-core'
import { type AnyClient, createUnsupported } from './grid-client.ts'
import { isForOptions, readChosenOptions, readOptions } from './provided-options.ts'

/**
 * Adds the options of filters to a data provider: with `meta.options`, the name of a filter with searched options,
 * `getList` and `getMany` return these instead of rows. The text of an autocomplete, `q`, is searched for.
 *
 * @example
 * <ReferenceInput source="supplier" reference="orders" queryOptions={{ meta: { options: 'supplier' } }}>
 *   <AutocompleteInput optionText="label" />
 * </ReferenceInput>
 */
export function reactAdminOptions(provider: DataProvider, client: AnyClient): DataProvider {
  return {
    ...provider,
    getList: async (resource, asked) => {
      const { pagination = { page: 1, perPage: 25 }, filter, meta, signal } = asked
      if (!isForOptions(meta)) return provider.getList(resource, asked)
      const { q, ...others } = (filter ?? {}) as Readonly<Record<string, unknown>>
      const [other] = Object.keys(others)
      if (other !== undefined) throw createUnsupported(`the filter "${other}" of options`)
      const { page, perPage: limit } = pagination
      const { data, hasNext } = await readOptions(client, resource, meta, {
        search: String(q ?? ''),
        page,
        limit,
        signal,
      })
      return { data: data as never[], pageInfo: { hasNextPage: hasNext, hasPreviousPage: page > 1 } }
    },
    getMany: async (resource, asked) => {
      const { ids, meta, signal } = asked
      if (!isForOptions(meta)) return provider.getMany(resource, asked)
      return { data: (await readChosenOptions(client, resource, meta, ids, signal)) as never[] }
    },
  }
}
