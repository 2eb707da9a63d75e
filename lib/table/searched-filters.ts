import type { CompiledFilter } from './compiled-table.ts'
import { isListable, isWhole } from './raw-column.ts'
import type { Source } from './source.ts'
import type { TableView } from './view.ts'

/** A select whose options clients search, by their values and labels. */
export type SearchedFilter = CompiledFilter & { readonly optionLabel: Source }

/**
 * Returns the filters whose options a caller may search, by name: those whose values and labels are shown whole, or by
 * no cell.
 */
export const listSearchedFilters = ({ filters, columns }: TableView): ReadonlyMap<string, SearchedFilter> =>
  new Map(
    [...filters.values()].flatMap((filter) => {
      const { name, source, optionLabel } = filter
      if (optionLabel === undefined || ![source, optionLabel].every((one) => isListable(columns, one, isWhole)))
        return []
      return [[name, { ...filter, optionLabel }] as const]
    }),
  )
