import { actionsOf, type Id, type Item, type Structure } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Cell } from './cell.tsx'
import type { Grid } from './use-grid.ts'

interface TableRowProps {
  readonly structure: Structure
  readonly row: ReturnType<Grid['getRowModel']>['rows'][number]
  readonly isTicked: boolean
  readonly tick: (changed: readonly Id[], isOn: boolean) => void
  readonly onActions: (item: Item, button: HTMLElement) => void
}

/** A row: its tick, its values, and a button for what can be done with it. */
export const TableRow = ({ structure, row, isTicked, tick, onActions }: TableRowProps) => {
  const { t } = useWords()
  const item = row.original
  const hasActions = Object.keys(actionsOf(item)).length > 0
  const columns = new Map(structure.columns.map((column) => [column.data_src, column]))
  return (
    <tr className={isTicked ? 'ticked' : ''}>
      <td className="tick">
        <input
          type="checkbox"
          aria-label={t.selectRow(row.id)}
          checked={isTicked}
          onChange={({ target }) => tick([item.id], target.checked)}
        />
      </td>
      {row.getVisibleCells().map(({ id, column: { id: name } }) => {
        const column = columns.get(name)
        return (
          <td key={id} className={`type-${column?.type} value-${column?.value_type}`}>
            {column && <Cell column={column} value={item[name]} />}
          </td>
        )
      })}
      <td className="row-actions">
        {hasActions && (
          <button
            type="button"
            className="button quiet square"
            aria-haspopup="dialog"
            aria-label={t.rowActions(row.id)}
            onClick={(event) => onActions(item, event.currentTarget)}
          >
            <Icon name="more" />
          </button>
        )}
      </td>
    </tr>
  )
}
