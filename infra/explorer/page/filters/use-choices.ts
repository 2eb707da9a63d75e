import type { TableError } from '../../../../lib/client/index.ts'
import { foldText } from '../../../../lib/i18n/fold-text.ts'
import type { Bindings, Option } from '../service/wire.ts'
import type { View } from '../state/view.ts'
import { addChosen, type FilterField, fieldOptions } from './filter-field.ts'
import { useFacet } from './use-facet.ts'
import { useSearchedOptions } from './use-searched-options.ts'

interface Choices {
  /** The choices that contain the searched text. */
  readonly found: readonly Option[]
  /** The first of them, without those that are chosen and do not contain the text. */
  readonly first: Option | undefined
  /** Whether those of the text before are still there. */
  readonly isLate: boolean
  /** Whether there is anything to look for by typing. */
  readonly canSearch: boolean
  readonly missing: 'noOptions' | 'notFound' | undefined
  /** Why the searched choices could not be loaded. */
  readonly failure: TableError | undefined
  /** The rows of a choice, as soon as they are known. */
  readonly countRows: (value: string) => number | undefined
}

/**
 * The choices of a filter by their labels: of the structure, of the page's bindings, or asked for where there are too
 * many to list.
 */
export function useChoices(
  view: View,
  field: FilterField,
  bindings: Bindings | undefined,
  chosen: readonly string[],
  searchText: string,
): Choices {
  const isAsked = field.filter.props.searchable === true
  const { options: searched, areOfText, failure } = useSearchedOptions(view, field, searchText, isAsked)
  const { facet } = useFacet(view, field, !isAsked)
  if (isAsked) {
    return {
      found: addChosen(searched ?? [], chosen),
      first: areOfText ? searched?.[0] : undefined,
      isLate: !areOfText,
      canSearch: true,
      missing: searched?.length === 0 ? 'notFound' : undefined,
      failure,
      countRows: (value) => searched?.find((option) => String(option.value) === value)?.count,
    }
  }
  const options = fieldOptions(field.filter, bindings)
  const found = options.filter(({ label }) => foldText(label).includes(foldText(searchText).trim()))
  return {
    found,
    first: found[0],
    isLate: false,
    canSearch: options.length > 0,
    failure: undefined,
    missing: options.length === 0 ? 'noOptions' : found.length === 0 ? 'notFound' : undefined,
    countRows: (value) => {
      const count = facet?.options.find((option) => String(option.value) === value)?.count
      // Only the most frequent ones may be counted; where all are, one without a count has no rows.
      return facet == null || facet.more ? count : (count ?? 0)
    },
  }
}
