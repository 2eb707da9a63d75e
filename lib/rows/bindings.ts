import type { Database } from '../db/database.ts'
import type { AppliedFilter, Option, ResponseContext } from '../table/context.ts'
import type { TableView } from '../table/view.ts'

/** Options by the name of their binding. */
export type Bindings = Readonly<Record<string, readonly Option[]>>

/** The options of every binding that this caller may see, by name. The others do not run. */
export async function loadBindings(
  view: TableView,
  database: Database,
  filters: Readonly<Partial<Record<string, AppliedFilter>>>,
  context: ResponseContext,
): Promise<Bindings> {
  if (view.bindings.length === 0) return {}
  const { identity, params, language, guard } = context
  const db = await database.session()
  const loaded = await Promise.all(
    view.bindings.map(async ([name, load]) => {
      const options = await load({ db, identity, params, language, guard, filters })
      return [name, options] as const
    }),
  )
  return Object.fromEntries(loaded)
}
