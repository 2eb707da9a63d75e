import type { Database } from '../db/database.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import type { AppliedFilter, Option } from '../table/context.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'

/** Options by the name of their binding. */
export type Bindings = Readonly<Record<string, readonly Option[]>>

/** The options of every binding that this caller may see, by name. One named like a hidden filter or column does not run. */
export async function loadBindings(
  view: TableView,
  database: Database,
  filters: Readonly<Partial<Record<string, AppliedFilter>>>,
  context: RequestContext,
): Promise<Bindings> {
  const { bindings } = view.table.definition
  if (bindings === undefined) return {}
  const visible = Object.entries(bindings).filter(([name]) => mayKnow(view, name))
  const { identity, params, language, guard } = context
  const loaded = await Promise.all(
    visible.map(async ([name, load]) => {
      const options = await load({ db: database.drizzle, identity, params, language, guard, filters })
      return [name, options] as const
    }),
  )
  return Object.fromEntries(loaded)
}

function mayKnow({ table, filters, columns }: TableView, name: string): boolean {
  const isOf = (filter: CompiledFilter) => filter.name === name || filter.pair?.group === name
  if ([...table.filters.values()].some(isOf)) return [...filters.values()].some(isOf)
  return columns.some(({ key }) => key === name) || !table.columns.some(({ key }) => key === name)
}
