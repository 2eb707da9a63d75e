import type { Middleware } from '../auth/middleware.ts'
import type { Label } from '../i18n/language.ts'
import type { Table } from './definition.ts'

/** The facts about a table that a list needs. Each takes bytes of every cold list, so that what is usual is left out. */
interface BundledListing {
  readonly label?: Label
  /** Absent if there are none; `in the table` if only its own code has them. */
  readonly middlewares?: readonly Middleware<Record<string, unknown>>[] | 'in the table'
}

/** The tables of a bundle whose code is in files beside it, each known by its place in `names`. */
interface TablesOnDemand {
  readonly names: readonly string[]
  /** Reads the code of one table. */
  readonly load: (place: number) => Promise<Table<never>>
  readonly listings: () => Promise<readonly BundledListing[]>
}

/** Empty: sources have their tables at hand. The bundler puts another module in place of this file. */
export const tablesOnDemand: TablesOnDemand = {
  names: [],
  load: (place) => Promise.reject(new Error(`There is no table ${place}`)),
  listings: async () => [],
}
