import { type ComponentProps, useCallback, useState } from 'react'
import { SelectionNote } from './actions/bulk-bar.tsx'
import type { Plan } from './actions/plan.ts'
import type { OpenMenu } from './actions/row-menu.tsx'
import { useActions } from './actions/use-actions.ts'
import { useDetails } from './actions/use-details.ts'
import type { OpenCell } from './editing/use-cell.ts'
import { useGoneChoices } from './filters/use-gone-choices.ts'
import type { LiveRowsProps } from './live/live-rows.tsx'
import { type Menus, parts } from './parts.ts'
import type { Item, Outcome, Structure } from './service/wire.ts'
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
import type { OnEdit } from './table/table-row.tsx'
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

interface BesideProps extends FirstViewProps, ComponentProps<Menus['EffectsPage']> {
  readonly follow: (outcome: Outcome, plan: Plan) => void
}

/** Shows parts of the page once they are loaded. It is a component of its own, so that the table is not drawn again then. */
const Beside = (props: BesideProps) => {
  const { module: asking } = useStore(parts.asking.state)
  const { module: dialogs } = useStore(parts.dialogs.state)
  const { module: menus } = useStore(parts.menus.state)
  return (
    <>
      {menus && <menus.EffectsPage {...props} />}
      {asking && <asking.FirstView {...props} />}
      {dialogs && <dialogs.ImportDialog {...props} prepare={parts.menus.load} />}
    </>
  )
}

/** Comes with its part, as `Beside` does. */
const Live = (props: LiveRowsProps) => {
  const { module } = useStore(parts.live.state)
  return module ? <module.LiveRows {...props} /> : null
}

/** Counts the changes of rows: what is asked for beside them is then asked for again. */
function useRounds(rows: TableViewProps['rows']) {
  const [round, setRound] = useState(0)
  const refresh = () => setRound((now) => now + 1)
  return {
    ...{ ...rows, round, refresh },
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

/** The toolbar, the rows and the way through them. */
export const TableView = ({ structure, view, change, rows }: TableViewProps) => {
  const words = useWords()
  const { response } = rows
  const [selection, setSelection] = useSelection(nameRows(view))
  const [menu, setMenu] = useState<OpenMenu>()
  const { details, setDetails, openRow: onOpen } = useDetails(structure, view)
  const counted = useRounds(rows)
  const { round, refresh, reload, put } = counted
  const [cell, setCell] = useState<OpenCell>()
  const menus = usePart(parts.menus, menu ?? cell ?? round > 0)
  const followUp = (outcome: Outcome, plan: Plan): Plan | undefined =>
    // Every action is chosen in a menu.
    parts.menus.state.get().module?.follow(outcome, plan, {
      ...{ words, reload, put, show: setDetails, hasFilters: isRestricted(view), followUp, place: rows.place },
    })
  const actions = useActions(followUp)
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
  useWarnings(response)
  const onEdit = useCallback((...[item, column, button]: Parameters<OnEdit>) => setCell({ item, column, button }), [])
  const onActions = useCallback((item: Item, button: HTMLElement) => setMenu({ item, button }), [])
  const pagination = usePagination(view, rows)
  const isPaused = Boolean(menu ?? cell ?? actions.plan ?? details)
  return (
    <>
      <TableToolbar {...{ structure, view, change, rows, grid, selection, pagination, actions }} />
      <SelectionNote {...{ pagination, selection }} onSelection={setSelection} />
      <p className="unseen" role="status">
        {response && resultText(response.pagination, words)}
      </p>
      <Beside {...{ view, structure, change, selection, setSelection }} rows={counted} follow={followUp} />
      {asking && view.group && <asking.OpenGroupNote {...{ view, structure, change }} />}
      {isGrouped(view) ? (
        asking ? (
          <asking.GroupsView {...{ view, structure, change, round, refresh, chart }} prepareChart={parts.chart.load} />
        ) : (
          <Skeleton rows={view.perPage} />
        )
      ) : response === undefined && rows.failure === undefined ? (
        <Skeleton rows={view.perPage} />
      ) : (
        <DataTable
          {...{ structure, grid, selection, mark, onActions, onEdit, onOpen }}
          items={response?.items ?? noItems}
          place={response?.place ?? ''}
          onSelection={setSelection}
          isLoading={rows.isLoading}
          isOld={rows.failure !== undefined}
          footer={asking && view.totals.length > 0 && <asking.TotalsRow {...{ view, round }} columns={grid.columns} />}
        >
          {response?.items.length === 0 && (
            <NoRows {...{ view, structure, change }} bindings={response.bindings} total={pagination?.total ?? 0} />
          )}
        </DataTable>
      )}
      {!isGrouped(view) && (
        <Pager {...{ view, pagination, change }}>
          <Live {...{ view, structure, rows, refresh }} columns={grid.columns} isPaused={isPaused} />
        </Pager>
      )}
      {menus && (
        <>
          <menus.RowMenu
            {...{ structure, menu, onOpen, onEdit }}
            close={() => setMenu(undefined)}
            begin={actions.begin}
          />
          <menus.CellEditor {...{ structure, view, cell }} close={() => setCell(undefined)} follow={followUp} />
        </>
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
