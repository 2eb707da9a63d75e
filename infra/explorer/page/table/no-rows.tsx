import { isReversed } from '../filters/filter-entry.ts'
import { isRestricted, unrestricted } from '../state/asked-rows.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Nothing } from '../ui/nothing.tsx'

interface NoRowsProps {
  readonly view: View
  readonly change: Change
  readonly total: number
}

const hasReversedRange = (filters: View['filters']): boolean =>
  filters.some(({ field }) => isReversed(filters.filter((one) => one.field === field)))

/** Why there are no rows, and how there may be some. */
export const NoRows = ({ view, change, total }: NoRowsProps) => {
  const { filters, page } = view
  const { t } = useWords()
  if (total > 0 && page > 1) {
    return (
      <Nothing title={t.beyond} help={t.result(total)}>
        <button type="button" className="button" onClick={() => change({ page: 1 })}>
          {t.first}
        </button>
      </Nothing>
    )
  }
  if (!isRestricted(view)) return <Nothing title={t.noRowsAtAll} help={t.noRowsAtAllHelp} />
  return (
    <Nothing title={t.noRows} help={hasReversedRange(filters) ? t.reversed : t.noRowsHelp}>
      <button type="button" className="button" onClick={() => change(unrestricted)}>
        {t.clearFilters}
      </button>
    </Nothing>
  )
}
