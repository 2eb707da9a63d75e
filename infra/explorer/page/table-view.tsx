import { useCallback, useState } from 'react'
import { BulkMenu, SelectionNote } from './actions/bulk-bar.tsx'
import type { Details } from './actions/details-dialog.tsx'
import { follow } from './actions/follow.ts'
import type { OpenMenu } from './actions/row-menu.tsx'
import { allValues, rowName } from './actions/row-name.ts'
import { useActions } from './actions/use-actions.ts'
import { FilterBar } from './filters/filter-bar.tsx'
import { useGoneChoices } from './filters/use-gone-choices.ts'
import { parts } from './parts.ts'
import type { Item, Structure } from './service/wire.ts'
import { isRestricted, nameRows } from './state/asked-rows.ts'
import { usePart } from './state/part.ts'
import { useSelection } from './state/selection.ts'
import { usePagination, type useRows } from './state/use-table.ts'
import type { Change } from './state/use-view.ts'
import type { View } from './state/view.ts'
import { ColumnPicker } from './table/column-picker.tsx'
import { DataTable } from './table/data-table.tsx'
import { NoRows } from './table/no-rows.tsx'
import { Pager, resultText } from './table/pager.tsx'
import { SearchBox } from './table/search-box.tsx'
import { Skeleton } from './table/skeleton.tsx'
import { SortPicker } from './table/sort-picker.tsx'
import { TotalsPicker } from './table/totals-picker.tsx'
import { useGrid } from './table/use-grid.ts'
import { useWarnings } from './table/use-warnings.ts'
import { useWords } from './texts/language.tsx'

interface TableViewProps {
  readonly structure: Structure
  readonly view: View
  readonly change: Change
  readonly rows: ReturnType<typeof useRows>
}

const noItems: readonly Item[] = []

/** The toolbar, the rows and the way through them. */
export const TableView = ({ structure, view, change, rows }: TableViewProps) => {
  const words = useWords()
  const { answer } = rows
  const [selection, setSelection] = useSelection(nameRows(view))
  const [menu, setMenu] = useState<OpenMenu>()
  const [details, setDetails] = useState<Details>()
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
  const asking = usePart(parts.asking, view.totals.length > 0)
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
  const onOpen = useCallback(
    (item: Item) => setDetails({ title: rowName(structure, item), data: allValues(structure, item) }),
    [structure],
  )
  const pagination = usePagination(view, rows)
  return (
    <>
      <div className="toolbar">
        {structure.columns.some(({ searchable }) => searchable === true) && (
          <SearchBox key={view.table} search={view.search} change={change} />
        )}
        <FilterBar
          {...{ structure, view, change }}
          bindings={answer?.bindings}
          resolved={answer?.resolved}
          failure={rows.failure}
        />
        <div className="tools">
          <SortPicker {...{ structure, change }} sorts={view.sorts} />
          <ColumnPicker columns={structure.columns} changed={view.columns} change={change} />
          <TotalsPicker columns={grid.columns} totals={view.totals} change={change} />
          <BulkMenu
            {...{ structure, view, pagination, selection }}
            begin={actions.begin}
            isRunning={actions.isRunning}
          />
        </div>
      </div>
      <SelectionNote {...{ pagination, selection }} onSelection={setSelection} />
      <p className="unseen" role="status">
        {rows.isLoading ? words.t.loading : answer && resultText(answer.pagination, words)}
      </p>
      {answer === undefined && rows.failure === undefined ? (
        <Skeleton rows={view.perPage} />
      ) : (
        <DataTable
          {...{ structure, grid, selection, onActions, onOpen }}
          items={answer?.items ?? noItems}
          place={answer?.place ?? ''}
          onSelection={setSelection}
          isLoading={rows.isLoading}
          isOld={rows.failure !== undefined}
          footer={asking && view.totals.length > 0 && <asking.TotalsRow {...{ view, round }} columns={grid.columns} />}
        >
          {answer?.items.length === 0 && <NoRows {...{ view, change }} total={pagination?.total ?? 0} />}
        </DataTable>
      )}
      <Pager {...{ view, pagination, change }} />
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
