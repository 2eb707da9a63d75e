import { useEffect } from 'react'
import type { Rows, Structure } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import type { Change } from '../state/use-view.ts'
import { type Applied, takesNothing, type View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'

interface Shown {
  readonly response: Rows | undefined
  readonly isOfView: boolean
}

/**
 * Clears a filter whose choice is gone because another filter changed, such as an airport when the state is another
 * one: left alone, it would empty the table without a word.
 */
export function useGoneChoices(structure: Structure, view: View, { response, isOfView }: Shown, change: Change): void {
  const { t } = useWords()
  useEffect(() => {
    if (!isOfView || response === undefined) return
    const isGone = ({ field, operator, value }: Applied) =>
      !takesNothing(operator) &&
      Object.hasOwn(response.bindings, field) &&
      !(typeof value === 'string' ? [value] : value).every((one) =>
        response.bindings[field]?.some((option) => String(option.value) === one),
      )
    const gone = view.filters.filter(isGone)
    if (gone.length === 0) return
    const findLabel = ({ field }: Applied) =>
      [...structure.filters, ...structure.advancedFilters].find(({ filter_name: name }) => name === field)?.label ??
      field
    for (const filter of gone) say('info', t.gone(findLabel(filter)))
    change({ filters: view.filters.filter((one) => !gone.includes(one)), page: 1 }, 'replace')
  }, [structure, view, response, isOfView, change, t])
}
