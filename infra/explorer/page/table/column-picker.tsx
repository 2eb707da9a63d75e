import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { ColumnListProps } from './column-list.tsx'

/** Which columns are on the screen. */
export const ColumnPicker = (props: ColumnListProps) => {
  const { t } = useWords()
  return (
    <Popup title={t.columns} hint={t.columns} align="end" trigger={<Named icon="columns" name={t.columns} />}>
      {(menus) => <menus.ColumnList {...props} />}
    </Popup>
  )
}

export interface NamedProps {
  readonly icon: 'columns' | 'sort' | 'sum' | 'group' | 'views'
  readonly name: string
  readonly count?: number
}

/** A picture, and a name where there is room for it. */
export const Named = ({ icon, name, count = 0 }: NamedProps) => (
  <>
    <Icon name={icon} />
    <span className="roomy">{name}</span> {count > 0 && <span className="badge info">{count}</span>}
  </>
)
