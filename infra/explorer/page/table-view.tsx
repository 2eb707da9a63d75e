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
  const { structure, view, change, rows } = props
  const { selection, setSelection, details, actions, pagination } = state
  const { asking, dialogs } = state.parts
  return (
    <>
      <TableToolbar
        structure={structure}
        view={view}
        change={change}
        rows={rows}
        grid={state.grid}
        selection={selection}
        pagination={pagination}
        actions={actions}
      />
      <SelectionNote pagination={pagination} selection={selection} onSelection={setSelection} />
      <p className="unseen" role="status">
        {rows.response && resultText(rows.response.pagination, words)}
      </p>
      <Beside
        view={view}
        structure={structure}
        change={change}
        selection={selection}
        setSelection={setSelection}
        rows={state.counted}
        follow={state.followUp}
      />
      {asking && view.group && <asking.OpenGroupNote view={view} structure={structure} change={change} />}
      {isGrouped(view) ? <Groups {...props} state={state} /> : <Rows {...props} state={state} />}
      <MenusOfRow {...props} state={state} />
      {dialogs && (
        <>
          <dialogs.ActionDialog actions={actions} columns={structure.columns} />
          <dialogs.DetailsDialog
            details={details}
            columns={structure.columns}
            close={() => state.setDetails(undefined)}
          />
        </>
      )}
    </>
  )
}

const Groups = ({ structure, view, change, state }: StatefulProps) => {
  const { asking, chart } = state.parts
  const { round, refresh } = state.counted
  if (!asking) return <Skeleton rows={view.perPage} />
  return (
    <asking.GroupsView
      view={view}
      structure={structure}
      change={change}
      round={round}
      refresh={refresh}
      chart={chart}
      prepareChart={parts.chart.load}
    />
  )
}

const Rows = (props: StatefulProps) => {
  const { structure, view, change, rows, state } = props
  const { menu, cell, details, actions, grid } = state
  return (
    <>
      {rows.response === undefined && rows.failure === undefined ? (
        <Skeleton rows={view.perPage} />
      ) : (
        <RowsOfPage {...props} />
      )}
      <Pager view={view} pagination={state.pagination} change={change}>
        <Live
          view={view}
          structure={structure}
          rows={rows}
          refresh={state.counted.refresh}
          columns={grid.columns}
          isPaused={Boolean(menu ?? cell ?? actions.plan ?? details)}
        />
      </Pager>
    </>
  )
}

const RowsOfPage = ({ structure, view, change, rows, state }: StatefulProps) => {
  const { response } = rows
  const { grid, pagination } = state
  const { asking } = state.parts
  return (
    <DataTable
      structure={structure}
      grid={grid}
      selection={state.selection}
      mark={state.mark}
      onActions={state.openMenu}
      onEdit={state.openCell}
      onOpen={state.openRow}
      items={response?.items ?? noItems}
      place={response?.place ?? ''}
      onSelection={state.setSelection}
      isLoading={rows.isLoading}
      isOld={rows.failure !== undefined}
      footer={
        asking &&
        view.totals.length > 0 && <asking.TotalsRow view={view} round={state.counted.round} columns={grid.columns} />
      }
    >
      {response?.items.length === 0 && (
        <NoRows
          view={view}
          structure={structure}
          change={change}
          bindings={response.bindings}
          total={pagination?.total ?? 0}
        />
      )}
    </DataTable>
  )
}

const MenusOfRow = ({ structure, view, state }: StatefulProps) => {
  const { menus } = state.parts
  if (!menus) return null
  return (
    <>
      <menus.RowMenu
        structure={structure}
        menu={state.menu}
        onOpen={state.openRow}
        onEdit={state.openCell}
        close={() => state.setMenu(undefined)}
        begin={state.actions.begin}
      />
      <menus.CellEditor
        structure={structure}
        view={view}
        cell={state.cell}
        close={() => state.setCell(undefined)}
        follow={state.followUp}
      />
    </>
  )
}
