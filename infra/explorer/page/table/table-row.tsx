import { type MouseEvent, memo, useState } from 'react'
import type { Column, Id, Item } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { drawCell, type Mark } from './cell.tsx'

/** Opens the editor of a cell, beside what was pressed. */
export type OnEdit = (item: Item, column: Column, button: HTMLElement) => void

interface TableRowProps {
  readonly item: Item
  readonly columns: readonly Column[]
  readonly isTicked: boolean
  /** `isRange`: with all rows since the one before. */
  readonly tick: (id: Id, isOn: boolean, isRange: boolean) => void
  /** Marks what was searched, in the cells where the service found it. */
  readonly mark: Mark | undefined
  readonly onActions: (item: Item, button: HTMLElement) => void
  readonly onEdit: OnEdit
  readonly onOpen: (item: Item) => void
}

/**
 * A row: its tick, its values, and a button for what can be done with it. It is drawn again only for other props, and
 * when it is first used: the buttons of its cells come then, because those of a page take as long to draw as its rows.
 */
export const TableRow = memo(({ item, columns, isTicked, tick, mark, onActions, onEdit, onOpen }: TableRowProps) => {
  const words = useWords()
  const { t } = words
  const [isUsed, setIsUsed] = useState(false)
  const use = () => setIsUsed(true)
  const click = (event: MouseEvent) => {
    use()
    if (isPlainClick(event) && (isUsed || !isFirstTap(event))) onOpen(item)
  }
  return (
    <tr
      className={isTicked ? 'ticked' : ''}
      onClick={click}
      onFocus={use}
      // A finger points before it taps, where the button would then be.
      onPointerEnter={({ pointerType }) => pointerType !== 'touch' && use()}
    >
      <td className="tick">
        <input
          type="checkbox"
          aria-label={t.selectRow(String(item.id))}
          checked={isTicked}
          onClick={(event) => tick(item.id, event.currentTarget.checked, event.shiftKey)}
          onChange={() => undefined}
        />
      </td>
      {columns.map((column, at) => {
        // A screen reader names a row by its first value.
        const Cell = at === 0 ? 'th' : 'td'
        return (
          <Cell
            key={column.data_src}
            scope={at === 0 ? 'row' : undefined}
            className={`type-${column.type} value-${column.value_type}${column.editable ? ' editable' : ''}`}
          >
            {drawCell(column, item[column.data_src], words, {
              mark: item._matches?.includes(column.data_src) ? mark : undefined,
            })}
            {isUsed && column.editable && (
              <button
                type="button"
                className="button quiet square edit"
                aria-haspopup="dialog"
                aria-label={t.editCell(column.label)}
                onClick={(event) => onEdit(item, column, event.currentTarget)}
              >
                <Icon name="edit" />
              </button>
            )}
          </Cell>
        )
      })}
      <td className="row-actions">
        <button
          type="button"
          className="button quiet square"
          aria-haspopup="dialog"
          aria-label={t.rowActions(String(item.id))}
          onClick={(event) => onActions(item, event.currentTarget)}
        >
          <Icon name="more" />
        </button>
      </td>
    </tr>
  )
})

/** A click on a value, not on a control and not at the end of marking text. */
const isPlainClick = ({ target }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest('a,button,input,.tick,.row-actions') === null &&
  getSelection()?.isCollapsed !== false

/** A tap on a cell that can be edited shows its button first, which a pointer shows by coming near. */
const isFirstTap = ({ target }: MouseEvent): boolean =>
  target instanceof Element && target.closest('.editable') !== null && matchMedia('(hover: none)').matches
