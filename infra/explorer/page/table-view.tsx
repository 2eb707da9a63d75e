import type { ComponentProps } from 'react'
import { SelectionNote } from './actions/bulk-bar.tsx'
import type { Plan } from './actions/plan.ts'
import type { LiveRowsProps } from './live/live-rows.tsx'
import { type Menus, parts } from './parts.ts'
import type { Item, Outcome } from './service/wire.ts'
import { isGrouped } from './state/asked-rows.ts'
import { useStore } from './state/store.ts'
import { DataTable } from './table/data-table.tsx'
import { NoRows } from './table/no-rows.tsx'
import { Pager, resultText } from './table/pager.tsx'
import { Skeleton } from './table/skeleton.tsx'
import { TableToolbar } from './table/table-toolbar.tsx'
import { useWords } from './texts/language.tsx'
import { type TableState, type TableViewProps, useTableState } from './use-table-state.ts'
import type { FirstViewProps } from './views/first-view.tsx'

const noItems: readonly Item[] = []

interface BesideProps extends FirstViewProps, ComponentProps<Menus['EffectsPage']> {
  readonly follow: (outcome: Outcome, plan: Plan) => void
}

/**
 * Shows parts of the page once they are loaded. It is a component of its own, so that the table is not drawn again
 * then.
 */
const Beside = (props: BesideProps) => {
  const { module: asking } = useStore(parts.asking.state)
  const { module: dialogs } = useStore(parts.dialogs.state)
  const { module: menus } = useStore(parts.menus.state)
  return (
    <>
      {menus && <menus.EffectsPage {...props} />}
      {menus && <menus.PeriodWatch {...props} />}
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

interface StatefulProps extends TableViewProps {
  readonly state: TableState
}

/** The toolbar, the rows and the way through them. */
export const TableView = (props: TableViewProps) => {
  const words = useWords()
  const state = useTableState(props)
  const { menus, asking, dialogs } = state.parts
  return (
    <>
      <TableToolbar {...props} {...state} pagination={state.matching} />
      <SelectionNote {...state} pagination={state.matching} onSelection={state.setSelection} />
      <p className="unseen" role="status">
        {props.rows.response && resultText(props.rows.response.pagination, words)}
      </p>
      <Beside {...props} {...state} rows={state.counted} follow={state.followUp} />
      {asking && props.view.group && <asking.OpenGroupNote {...props} />}
      {isGrouped(props.view) ? <Groups {...props} state={state} /> : <Rows {...props} state={state} />}
      {menus && <menus.RowPopups {...props} {...state} follow={state.followUp} />}
      {dialogs && <dialogs.TableDialogs {...props} {...state} />}
    </>
  )
}

const Groups = (props: StatefulProps) => {
  const { asking, chart } = props.state.parts
  if (!asking) return <Skeleton rows={props.view.perPage} />
  return <asking.GroupsView {...props} {...props.state.counted} chart={chart} prepareChart={parts.chart.load} />
}

const Rows = (props: StatefulProps) => {
  const { structure, view, rows, state } = props
  const { menu, cell, details, actions, grid, counted } = state
  const { asking } = state.parts
  const { response } = rows
  return (
    <>
      {response === undefined && rows.failure === undefined ? (
        <Skeleton rows={view.perPage} />
      ) : (
        <DataTable
          {...state}
          structure={structure}
          onActions={state.openMenu}
          onEdit={state.openCell}
          onOpen={state.openRow}
          items={response?.items ?? noItems}
          place={response?.place ?? ''}
          onSelection={state.setSelection}
          isLoading={rows.isLoading}
          isOld={rows.failure !== undefined}
          footer={
            asking && view.totals.length > 0 && <asking.TotalsRow {...counted} view={view} columns={grid.columns} />
          }
        >
          {response?.items.length === 0 && rows.failure === undefined && (
            <NoRows {...props} bindings={response.bindings} total={state.pagination?.total ?? 0} />
          )}
        </DataTable>
      )}
      <Pager {...props} pagination={state.pagination}>
        <Live
          {...props}
          {...counted}
          columns={grid.columns}
          isPaused={Boolean(menu ?? cell ?? actions.plan ?? details)}
        />
      </Pager>
    </>
  )
}
