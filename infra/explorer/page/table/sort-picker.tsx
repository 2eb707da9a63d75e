import { useWords } from '../texts/language.tsx'
import { Popup } from '../ui/popup.tsx'
import { Named } from './column-picker.tsx'
import type { SortListProps } from './sort-list.tsx'
import { columnLabel } from './use-grid.ts'

/** The order of the rows, by one column after the other, without a Shift key. */
export const SortPicker = (props: SortListProps) => {
  const { t } = useWords()
  const { structure, sorts } = props
  const { defSortCol: field, defSortDir: direction } = structure
  const names = (sorts.length > 0 ? sorts : [{ field, direction }]).flatMap((sort) => [
    columnLabel(structure, sort.field),
    sort.direction === 'desc' ? t.descending : t.ascending,
  ])
  return (
    <>
      <Popup
        title={t.sort}
        hint={t.sort}
        align="end"
        trigger={<Named icon="sort" name={t.sort} count={sorts.length} />}
      >
        {(menus) => <menus.SortList {...props} />}
      </Popup>
      {/* The number of rows, which is read out with each new page, stays the same. */}
      <span className="unseen" role="status">
        {`${t.sort}: ${names.join(t.comma)}`}
      </span>
    </>
  )
}
