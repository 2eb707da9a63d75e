import type { Structure } from '../service/wire.ts'
import { Icon } from '../ui/icon.tsx'
import type { Grid } from './use-grid.ts'

interface HeaderCellProps {
  readonly structure: Structure
  readonly column: ReturnType<Grid['getAllLeafColumns']>[number]
}

const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const

/** The name of a column; one that sorts is a button, which with Shift adds to the other sorts. */
export const HeaderCell = ({ structure, column }: HeaderCellProps) => {
  const entry = structure.columns.find(({ data_src: name }) => name === column.id)
  if (entry === undefined) return null
  const sorted = column.getIsSorted()
  const place = column.getSortIndex()
  const className = `type-${entry.type} value-${entry.value_type}`
  if (!entry.sortable) {
    return (
      <th scope="col" className={className}>
        <span className="head">{entry.label}</span>
      </th>
    )
  }
  return (
    <th scope="col" className={className} aria-sort={ariaSort[sorted === false ? 'none' : sorted]}>
      <button type="button" className="head" onClick={(event) => column.toggleSorting(undefined, event.shiftKey)}>
        {entry.label}
        <span className={sorted === false ? 'sort-mark' : 'sort-mark on'}>
          <Icon name={sorted === 'desc' ? 'descend' : 'up'} />
          {place > 0 && <small>{place + 1}</small>}
        </span>
      </button>
    </th>
  )
}
