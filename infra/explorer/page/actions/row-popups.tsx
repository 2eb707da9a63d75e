import { CellEditor } from '../editing/cell-editor.tsx'
import type { EditedCell, OpenCell } from '../editing/use-cell.ts'
import type { Item } from '../service/wire.ts'
import type { OnEdit } from '../table/table-row.tsx'
import { type OpenMenu, RowMenu } from './row-menu.tsx'
import type { Actions } from './use-actions.ts'

interface RowPopupsProps extends Pick<EditedCell, 'structure' | 'view' | 'follow'> {
  readonly menu: OpenMenu | undefined
  readonly setMenu: (menu: undefined) => void
  readonly cell: OpenCell | undefined
  readonly setCell: (cell: undefined) => void
  readonly openRow: (item: Item) => void
  readonly openCell: OnEdit
  readonly actions: Actions
}

/** The menu of a row and the editor of a cell, while they are open. */
export const RowPopups = (props: RowPopupsProps) => {
  const { structure, view, follow, menu, setMenu, cell, setCell, openRow, openCell, actions } = props
  return (
    <>
      <RowMenu
        structure={structure}
        menu={menu}
        onOpen={openRow}
        onEdit={openCell}
        close={() => setMenu(undefined)}
        begin={actions.begin}
      />
      <CellEditor structure={structure} view={view} cell={cell} close={() => setCell(undefined)} follow={follow} />
    </>
  )
}
