import type { Column } from '../service/wire.ts'
import { Icon } from '../ui/icon.tsx'
import type { Grid } from './use-grid.ts'

interface HeaderCellProps {
  readonly column: Column
  readonly grid: Grid
}

const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const

/** The name of a column; one that sorts is a button, which with Shift adds to the other sorts. */
export const HeaderCell = ({ column, grid: { sorts, toggleSort } }: HeaderCellProps) => {
  const { data_src: field, label, sortable, value_type: type } = column
  const name = <span className="head-name">{label}</span>
  const common = { scope: 'col', className: `type-${column.type} value-${type}` } as const
  if (!sortable) {
    return (
      <th {...common}>
        <span className="head">{name}</span>
      </th>
    )
  }
  const place = sorts.findIndex((sort) => sort.field === field)
  const direction = sorts[place]?.direction ?? 'none'
  return (
    <th {...common} aria-sort={ariaSort[direction]}>
      <button type="button" className="head" onClick={(event) => toggleSort(field, event.shiftKey)}>
        {name}
        <span className={direction === 'none' ? 'sort-mark' : 'sort-mark on'}>
          <Icon name={direction === 'desc' ? 'descend' : 'up'} />
          {sorts.length > 1 && place >= 0 && <small>{place + 1}</small>}
        </span>
      </button>
    </th>
  )
}
