import { useCallback, useState } from 'react'
import type { Plan } from './actions/plan.ts'
import type { OpenMenu } from './actions/row-menu.tsx'
import { useActions } from './actions/use-actions.ts'
import { useDetails } from './actions/use-details.ts'
import type { OpenCell } from './editing/use-cell.ts'
import { useGoneChoices } from './filters/use-gone-choices.ts'
import { parts } from './parts.ts'
import type { Item, Outcome, Structure } from './service/wire.ts'
import { isGrouped, isRestricted, nameRows } from './state/asked-rows.ts'
import { usePart } from './state/part.ts'
import { useSelection } from './state/selection.ts'
import { rememberUser } from './state/session.ts'
import { usePagination, type useRows } from './state/use-table.ts'
import type { Change } from './state/use-view.ts'
import type { View } from './state/view.ts'
import type { OnEdit } from './table/table-row.tsx'
import { useGrid } from './table/use-grid.ts'
import { useMark } from './table/use-mark.ts'
import { useWarnings } from './table/use-warnings.ts'
import { useWords } from './texts/language.tsx'

export interface TableViewProps {
  readonly structure: Structure
  readonly view: View
  readonly change: Change
  readonly rows: ReturnType<typeof useRows>
}

export type TableState = ReturnType<typeof useTableState>

/** Counts the changes of rows: what is asked for beside them is then asked for again. */
function useRounds(rows: TableViewProps['rows']) {
  const [round, setRound] = useState(0)
  const refresh = () => setRound((now) => now + 1)
  return {
    ...rows,
    round,
    refresh,
    reload: () => {
      refresh()
      rows.reload()
    },
    put: (...change: Parameters<typeof rows.put>) => {
      refresh()
      rows.put(...change)
    },
  }
}

/** Opens something beside a button; a second press on the button closes it, or asks again for the part that draws it. */
const toggle =
  <Open extends OpenMenu>(next: Open) =>
  (now: Open | undefined) =>
    now?.button === next.button && parts.menus.state.get().module ? undefined : next

/** Keeps what is chosen, open and under way in a table, and loads the parts of the page that this takes. */
export function useTableState({ structure, view, change, rows }: TableViewProps) {
  const words = useWords()
  const [selection, setSelection] = useSelection(nameRows(view))
  const [menu, setMenu] = useState<OpenMenu>()
  const [cell, setCell] = useState<OpenCell>()
  const { details, setDetails, openRow } = useDetails(structure, view)
  const counted = useRounds(rows)
  const menus = usePart(parts.menus, menu ?? cell ?? counted.round > 0)
  const isSameUser = rememberUser()
  const followUp = (outcome: Outcome, plan: Plan): Plan | undefined =>
    // Every action is chosen in a menu. What comes after another user has signed in is not for their eyes.
    isSameUser()
      ? parts.menus.state.get().module?.follow(outcome, plan, {
          ...counted,
          words,
          show: setDetails,
          hasFilters: isRestricted(view),
          followUp,
        })
      : undefined
  const actions = useActions(followUp)
  const asking = usePart(parts.asking, view.totals.length > 0 || view.groupBy.length > 0 || view.saved?.revision === 0)
  const chart = usePart(parts.chart, view.isChart && isGrouped(view))
  const dialogs = usePart(parts.dialogs, actions.plan ?? details)
  const grid = useGrid({
    columns: structure.columns,
    changedColumns: view.columns,
    sorts: view.sorts,
    defaultSort: { field: structure.defSortCol, direction: structure.defSortDir },
    onSorts: (sorts) => change({ sorts, page: 1 }),
  })
  const pagination = usePagination(view, rows)
  useGoneChoices(structure, view, rows, change)
  useWarnings(rows.response)
  return {
    selection,
    setSelection,
    menu,
    setMenu,
    cell,
    setCell,
    details,
    setDetails,
    openRow,
    counted,
    followUp,
    actions,
    grid,
    parts: { menus, asking, chart, dialogs },
    mark: useMark(view.search),
    pagination,
    /** How many rows match. Absent while those of other filters are on the screen. */
    matching: rows.isCounted ? pagination : undefined,
    openMenu: useCallback((item: Item, button: HTMLElement) => {
      // It may be open beside the same button, chosen in the menu.
      setCell(undefined)
      setMenu(toggle({ item, button }))
    }, []),
    openCell: useCallback<OnEdit>((item, column, button) => setCell(toggle({ item, column, button })), []),
  }
}
