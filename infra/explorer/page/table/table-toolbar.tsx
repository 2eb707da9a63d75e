import { BulkMenu } from '../actions/bulk-bar.tsx'
import type { useActions } from '../actions/use-actions.ts'
import { FilterBar } from '../filters/filter-bar.tsx'
import type { Pagination, Structure } from '../service/wire.ts'
import type { Selection } from '../state/selection.ts'
import type { useRows } from '../state/use-table.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { AskingPicker } from './asking-picker.tsx'
import { ColumnPicker } from './column-picker.tsx'
import { SearchBox } from './search-box.tsx'
import { SortPicker } from './sort-picker.tsx'
import type { Grid } from './use-grid.ts'

interface TableToolbarProps {
  readonly structure: Structure
  readonly view: View
  readonly change: Change
  readonly rows: ReturnType<typeof useRows>
  readonly grid: Grid
  readonly selection: Selection
  readonly pagination: Pagination | undefined
  readonly actions: ReturnType<typeof useActions>
}

/** The search, the filters and the order of the rows, and the actions on them. */
export const TableToolbar = (props: TableToolbarProps) => {
  const { structure, view, change, rows, grid, selection, pagination, actions } = props
  const { t } = useWords()
  return (
    <div className="toolbar">
      {structure.columns.some(({ searchable }) => searchable === true) && (
        <SearchBox key={view.table} search={view.search} change={change} />
      )}
      <FilterBar
        structure={structure}
        view={view}
        change={change}
        bindings={rows.response?.bindings}
        resolved={rows.response?.resolved}
        failure={rows.failure}
      />
      <div className="tools">
        <AskingPicker icon="views" name={t.views} count={view.saved ? 1 : 0}>
          {(part) => <part.ViewsList structure={structure} view={view} change={change} />}
        </AskingPicker>
        <SortPicker structure={structure} change={change} sorts={view.sorts} />
        <ColumnPicker columns={structure.columns} changed={view.columns} change={change} />
        <AskingPicker icon="sum" name={t.totals} count={view.totals.length}>
          {(part) => <part.TotalsList columns={grid.columns} totals={view.totals} change={change} />}
        </AskingPicker>
        <AskingPicker icon="group" name={t.group} count={view.groupBy.length}>
          {(part) => <part.GroupByList structure={structure} change={change} groupBy={view.groupBy} />}
        </AskingPicker>
        <BulkMenu
          structure={structure}
          view={view}
          pagination={pagination}
          selection={selection}
          begin={actions.begin}
          isRunning={actions.isRunning}
        />
      </div>
    </div>
  )
}
