import { formerName, presentName, type Renamable } from './former-names.ts'
import type { Formerly } from './formerly.ts'
import type { describeStructure } from './structure.ts'
import type { TableView } from './view.ts'

/** Adds to the entries of a structure what their parts were called, and until when. */
export function addFormerNames<Structure extends Awaited<ReturnType<typeof describeStructure>>>(
  structure: Structure,
  view: TableView,
) {
  if (view.table.formerNames.length === 0) return structure
  const columns = listFormer(view.columns)
  const filters = listFormer([...view.filters.values()])
  const rowActions = listFormer(view.rowActions)
  const bulkActions = listFormer(view.bulkActions)
  const addTo = <Entry extends object>(formerly: Formerly | undefined, entry: Entry) =>
    formerly === undefined ? entry : { ...entry, formerly }
  return {
    ...structure,
    columns: structure.columns.map((entry) => addTo(columns.get(entry.data_src), entry)),
    filters: structure.filters.map((entry) => addTo(filters.get(entry.filter_name), entry)),
    advancedFilters: structure.advancedFilters.map((entry) => addTo(filters.get(entry.filter_name), entry)),
    rowActions: Object.fromEntries(
      Object.entries(structure.rowActions).map(([key, entry]) => [key, addTo(rowActions.get(key), entry)] as const),
    ),
    bulkActions: structure.bulkActions.map((entry) =>
      addTo(bulkActions.get(String(Reflect.get(entry, 'action_key'))), entry),
    ),
  }
}

/** Returns what was declared of each renamed part by its present name, with the former name as requests have it. */
const listFormer = (parts: readonly Renamable[]): ReadonlyMap<string, Formerly> =>
  new Map(
    parts.flatMap((part) => {
      const [name, { formerly }] = [formerName(part), part.definition]
      return name === undefined || formerly === undefined ? [] : [[presentName(part), { ...formerly, name }] as const]
    }),
  )
