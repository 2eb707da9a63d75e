import { type ReactNode, useCallback, useRef } from 'react'
import type { Id, Item, Structure } from '../service/wire.ts'
import { isTicked, type Selection, withTicked } from '../state/selection.ts'
import { useWords } from '../texts/language.tsx'
import { showWholeText } from '../ui/show-whole-text.ts'
import type { Mark } from './cell.tsx'
import { HeaderCell } from './header-cell.tsx'
import { useStableColumns } from './stable-columns.ts'
import { type OnEdit, TableRow } from './table-row.tsx'
import { useFirstRows } from './use-first-rows.ts'
import type { Grid } from './use-grid.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useTopOfPage } from './use-top-of-page.ts'

interface DataTableProps {
  readonly structure: Structure
  readonly grid: Grid
  readonly items: readonly Item[]
  readonly isLoading: boolean
  /** Whether what was asked since has failed. */
  readonly isOld: boolean
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
  readonly onActions: (item: Item, button: HTMLElement) => void
  readonly onEdit: OnEdit
  /** Shows every value of a row. */
  readonly onOpen: (item: Item) => void
  readonly mark: Mark | undefined
  /** Which rows these are: other ones begin at the top. */
  readonly place: string
  /** Totals below the rows. */
  readonly footer?: ReactNode
  /** Shows why there are no rows. */
  readonly children?: ReactNode
}

/** The rows: the names of columns stay above them, the first column beside them. */
export const DataTable = (props: DataTableProps) => {
  const {
    structure,
    grid,
    isLoading,
    isOld,
    selection,
    onSelection,
    onActions,
    onEdit,
    onOpen,
    mark,
    place,
    footer,
    children,
  } = props
  const { t } = useWords()
  const items = useFirstRows(props.items)
  const ids = items.map(({ id }) => id)
  const tick = (changed: readonly Id[], isOn: boolean) => onSelection(withTicked(selection, changed, isOn))
  const lastTicked = useRef<Id>(undefined)
  const tickRow = (id: Id, isOn: boolean, isRange: boolean) => {
    const [from, to] = [ids.indexOf(lastTicked.current ?? id), ids.indexOf(id)].sort((one, other) => one - other)
    lastTicked.current = id
    tick(isRange && from !== undefined && from >= 0 ? ids.slice(from, (to ?? from) + 1) : [id], isOn)
  }
  const latestTick = useRef(tickRow)
  latestTick.current = tickRow
  // Stays the same, so that rows are not drawn again with the table.
  const onTick = useCallback<typeof tickRow>((...withTicked) => latestTick.current(...withTicked), [])
  const frame = useRef<HTMLElement>(null)
  const shown = grid.columns.map(({ data_src: name }) => name)
  useStableColumns(frame, `${structure.label} ${shown.join(' ')}`, items.length > 0 && items === props.items)
  useTopOfPage(frame, place)
  useKeptFocus(frame, items)
  return (
    // biome-ignore lint/a11y/useKeyWithMouseEvents: it only shows tooltips; every value is also in the row's menu
    <section
      id="rows"
      ref={frame}
      className="table-frame"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
      tabIndex={0}
      aria-label={structure.label}
      onMouseOver={showWholeText}
    >
      <table className="data" aria-busy={isLoading}>
        <caption className="unseen">{structure.label}</caption>
        <thead>
          <tr>
            <th scope="col" className="tick">
              <SelectPage ids={props.items.map(({ id }) => id)} selection={selection} tick={tick} />
            </th>
            {grid.columns.map((column) => (
              <HeaderCell key={column.data_src} column={column} grid={grid} />
            ))}
            <th scope="col" className="row-actions">
              <span className="unseen">{t.bulk}</span>
            </th>
          </tr>
        </thead>
        <tbody className={isLoading ? 'fading' : isOld ? 'old' : ''}>
          {items.map((item) => (
            <TableRow
              // Rows of another place are drawn anew: those that both have would jump from where they were.
              key={`${place} ${item.id}`}
              item={item}
              mark={mark}
              onActions={onActions}
              onEdit={onEdit}
              onOpen={onOpen}
              columns={grid.columns}
              tick={onTick}
              isTicked={isTicked(selection, item.id)}
            />
          ))}
        </tbody>
        {footer}
      </table>
      {children}
    </section>
  )
}

interface SelectPageProps {
  readonly ids: readonly Id[]
  readonly selection: Selection
  readonly tick: (changed: readonly Id[], isOn: boolean) => void
}

const SelectPage = ({ ids, selection, tick }: SelectPageProps) => {
  const { t } = useWords()
  const count = ids.filter((id) => isTicked(selection, id)).length
  return (
    <input
      type="checkbox"
      aria-label={t.selectPage}
      checked={count > 0 && count === ids.length}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && count < ids.length
      }}
      onChange={({ target }) => tick(ids, target.checked)}
    />
  )
}
