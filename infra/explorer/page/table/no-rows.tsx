import type { WhyNoneProps } from '../explain/why-none.tsx'
import { isReversed } from '../filters/filter-entry.ts'
import { parts } from '../parts.ts'
import { isRestricted, unrestricted } from '../state/asked-rows.ts'
import { usePart } from '../state/part.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Nothing } from '../ui/nothing.tsx'

interface NoRowsProps extends WhyNoneProps {
  readonly total: number
}

const hasReversedRange = (filters: View['filters']): boolean =>
  filters.some(({ field }) => isReversed(filters.filter((one) => one.field === field)))

/** Why there are no rows, and how there may be some. */
export const NoRows = ({ total, ...asked }: NoRowsProps) => {
  const { view, change } = asked
  const { filters, page } = view
  const { t } = useWords()
  const asking = usePart(parts.asking, total === 0 && isRestricted(view))
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
      {/* It arrives later: above the button, it would move it from under the pointer. */}
      {asking && <asking.WhyNone {...asked} />}
    </Nothing>
  )
}
