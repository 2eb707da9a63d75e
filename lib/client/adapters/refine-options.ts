import type { CrudFilter, DataProvider } from '@refinedev/core'
import { type AnyClient, createUnsupported } from './grid-client.ts'
import { isForOptions, readChosenOptions, readOptions } from './provided-options.ts'

/**
 * Adds the options of filters to a data provider: with `meta.options`, the name of a filter with searched options,
 * `useSelect` lists these instead of rows. The text that the user types is searched for.
 *
 * @example
 * const { options, onSearch } = useSelect({ resource: 'orders', meta: { options: 'supplier' },
 *   optionLabel: 'label', optionValue: 'value' })
 */
export function refineOptions(provider: DataProvider, client: AnyClient): DataProvider {
  const { getMany = () => Promise.reject(createUnsupported('reading several rows')) } = provider
  return {
    ...provider,
    getList: async (asked) => {
      const { resource, pagination, filters = [], meta } = asked
      if (!isForOptions(meta)) return provider.getList(asked)
      const page = pagination?.currentPage ?? 1
      const limit = pagination?.pageSize ?? 10
      const signal = meta?.queryContext?.signal
      const search = filters.map(readSearch).join(' ')
      const { data, total } = await readOptions(client, resource, meta, { search, page, limit, signal })
      return { data: data as never[], total }
    },
    getMany: async (asked) => {
      const { resource, ids, meta } = asked
      if (!isForOptions(meta)) return getMany(asked)
      return { data: (await readChosenOptions(client, resource, meta, ids, meta?.queryContext?.signal)) as never[] }
    },
  }
}

/** Returns the text that `useSelect` searches for in its `optionLabel`. */
function readSearch(filter: CrudFilter): string {
  if ('field' in filter && ['label', 'q'].includes(filter.field)) return String(filter.value ?? '')
  throw createUnsupported('another filter of options than a search in "label"')
}
