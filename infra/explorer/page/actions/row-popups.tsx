import { CellEditor } from '../editing/cell-editor.tsx'
import type { EditedCell, OpenCell } from '../editing/use-cell.ts'
import type { Item } from '../service/wire.ts'
import type { OnEdit } from '../table/table-row.tsx'
import { type OpenMenu, RowMenu } from './row-menu.tsx'
import type { Actions } from './use-actions.ts'

type Change<Open> = (change: (now: Open | undefined) => Open | undefined) => void

interface RowPopupsProps extends Pick<EditedCell, 'structure' | 'view' | 'follow'> {
  readonly menu: OpenMenu | undefined
  readonly setMenu: Change<OpenMenu>
  readonly cell: OpenCell | undefined
  readonly setCell: Change<OpenCell>
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
        close={() => setMenu(leave(menu))}
        begin={actions.begin}
      />
      <CellEditor structure={structure} view={view} cell={cell} close={() => setCell(leave(cell))} follow={follow} />
    </>
  )
}

/** Closes what was open, unless the press that closes it has opened another one. */
const leave =
  <Open,>(closed: Open) =>
  (now: Open) =>
    now === closed ? undefined : now
