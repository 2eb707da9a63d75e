import { useWords } from '../texts/language.tsx'
import { Popup } from '../ui/popup.tsx'
import { Named } from './column-picker.tsx'
import type { SortListProps } from './sort-list.tsx'

/** The order of the rows, by one column after the other, without a Shift key. */
export const SortPicker = (props: SortListProps) => {
  const { t } = useWords()
  return (
    <Popup
      title={t.sort}
      hint={t.sort}
      align="end"
      trigger={<Named icon="sort" name={t.sort} count={props.sorts.length} />}
    >
      {(menus) => <menus.SortList {...props} />}
    </Popup>
  )
}
