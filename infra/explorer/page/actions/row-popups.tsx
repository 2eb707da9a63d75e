import { CellEditor } from '../editing/cell-editor.tsx'
import type { EditedCell, OpenCell } from '../editing/use-cell.ts'
import type { Item } from '../service/wire.ts'
import type { OnEdit } from '../table/table-row.tsx'
import { type OpenMenu, RowMenu } from './row-menu.tsx'
import type { Actions } from './use-actions.ts'

interface RowPopupsProps extends Pick<EditedCell, 'structure' | 'view' | 'follow'> {
  readonly menu: OpenMenu | undefined
  readonly closeMenu: (menu: OpenMenu | undefined) => void
  readonly cell: OpenCell | undefined
  readonly closeCell: (cell: OpenCell | undefined) => void
  readonly openRow: (item: Item) => void
  readonly openCell: OnEdit
  readonly actions: Actions
}

/** The menu of a row and the editor of a cell, while they are open. */
export const RowPopups = (props: RowPopupsProps) => {
  const { structure, view, follow, menu, closeMenu, cell, closeCell, openRow, openCell, actions } = props
  return (
    <>
      <RowMenu
        structure={structure}
        menu={menu}
        onOpen={openRow}
        onEdit={openCell}
        close={() => closeMenu(menu)}
        begin={actions.begin}
      />
      <CellEditor structure={structure} view={view} cell={cell} close={() => closeCell(cell)} follow={follow} />
    </>
  )
}
