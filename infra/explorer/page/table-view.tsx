import { useCallback, useState } from 'react'
import { SelectionNote } from './actions/bulk-bar.tsx'
import { follow } from './actions/follow.ts'
import type { OpenMenu } from './actions/row-menu.tsx'
import { useActions } from './actions/use-actions.ts'
import { useDetails } from './actions/use-details.ts'
import { useGoneChoices } from './filters/use-gone-choices.ts'
import { parts } from './parts.ts'
import type { Item, Structure } from './service/wire.ts'
import { isGrouped, isRestricted, nameRows } from './state/asked-rows.ts'
import { usePart } from './state/part.ts'
import { useSelection } from './state/selection.ts'
import { useStore } from './state/store.ts'
import { usePagination, type useRows } from './state/use-table.ts'
import type { Change } from './state/use-view.ts'
import type { View } from './state/view.ts'
import { DataTable } from './table/data-table.tsx'
import { NoRows } from './table/no-rows.tsx'
import { Pager, resultText } from './table/pager.tsx'
import { Skeleton } from './table/skeleton.tsx'
import { TableToolbar } from './table/table-toolbar.tsx'
import { useGrid } from './table/use-grid.ts'
import { useMark } from './table/use-mark.ts'
import { useWarnings } from './table/use-warnings.ts'
import { useWords } from './texts/language.tsx'
import type { FirstViewProps } from './views/first-view.tsx'

interface TableViewProps {
  readonly structure: Structure
  readonly view: View
  readonly change: Change
  readonly rows: ReturnType<typeof useRows>
}

const noItems: readonly Item[] = []

/** Comes with its part, whatever that was loaded for: a component of its own, so that the table is not drawn again then. */
const FirstView = (props: FirstViewProps) => {
  const { module } = useStore(parts.asking.state)
  return module && <module.FirstView {...props} />
}

/** The toolbar, the rows and the way through them. */
export const TableView = ({ structure, view, change, rows }: TableViewProps) => {
  const words = useWords()
  const { answer } = rows
  const [selection, setSelection] = useSelection(nameRows(view))
  const [menu, setMenu] = useState<OpenMenu>()
  const { details, setDetails, openRow: onOpen } = useDetails(structure, view)
  const [round, setRound] = useState(0)
  const { reload, put } = {
    reload: () => {
      setRound((now) => now + 1)
      rows.reload()
    },
    put: (...change: Parameters<typeof rows.put>) => {
      setRound((now) => now + 1)
      rows.put(...change)
    },
  }
  const follower = { words, reload, put, show: setDetails, hasFilters: isRestricted(view) }
  const actions = useActions((outcome, plan) => follow(outcome, plan, follower))
  const menus = usePart(parts.menus, menu)
  const asking = usePart(parts.asking, view.totals.length > 0 || view.groupBy.length > 0 || view.saved?.revision === 0)
  const mark = useMark(view.search)
  const chart = usePart(parts.chart, view.isChart && isGrouped(view))
  const dialogs = usePart(parts.dialogs, actions.plan ?? details)
  const grid = useGrid({
    columns: structure.columns,
    changedColumns: view.columns,
    sorts: view.sorts,
    defaultSort: { field: structure.defSortCol, direction: structure.defSortDir },
    onSorts: (sorts) => change({ sorts, page: 1 }),
  })
  useGoneChoices(structure, view, rows, change)
  useWarnings(answer)
  const onActions = useCallback((item: Item, button: HTMLElement) => setMenu({ item, button }), [])
  const pagination = usePagination(view, rows)
  return (
    <>
      <TableToolbar {...{ structure, view, change, rows, grid, selection, pagination, actions }} />
      <SelectionNote {...{ pagination, selection }} onSelection={setSelection} />
      <p className="unseen" role="status">
        {rows.isLoading ? words.t.loading : answer && resultText(answer.pagination, words)}
      </p>
      <FirstView {...{ view, structure, change }} />
      {asking && view.group && <asking.OpenGroupNote {...{ view, structure, change }} />}
      {isGrouped(view) ? (
        asking ? (
          <asking.GroupsView {...{ view, structure, change, round, chart }} prepareChart={parts.chart.load} />
        ) : (
          <Skeleton rows={view.perPage} />
        )
      ) : answer === undefined && rows.failure === undefined ? (
        <Skeleton rows={view.perPage} />
      ) : (
        <DataTable
          {...{ structure, grid, selection, mark, onActions, onOpen }}
          items={answer?.items ?? noItems}
          place={answer?.place ?? ''}
          onSelection={setSelection}
          isLoading={rows.isLoading}
          isOld={rows.failure !== undefined}
          footer={asking && view.totals.length > 0 && <asking.TotalsRow {...{ view, round }} columns={grid.columns} />}
        >
          {answer?.items.length === 0 && (
            <NoRows {...{ view, structure, change }} bindings={answer.bindings} total={pagination?.total ?? 0} />
          )}
        </DataTable>
      )}
      {!isGrouped(view) && <Pager {...{ view, pagination, change }} />}
      {menus && (
        <menus.RowMenu {...{ structure, menu, onOpen }} close={() => setMenu(undefined)} begin={actions.begin} />
      )}
      {dialogs && (
        <>
          <dialogs.ActionDialog actions={actions} columns={structure.columns} />
          <dialogs.DetailsDialog details={details} columns={structure.columns} close={() => setDetails(undefined)} />
        </>
      )}
    </>
  )
}
