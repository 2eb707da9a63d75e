import type { Middleware } from '../auth/middleware.ts'
import type { Table } from './definition.ts'

/** The facts about the tables that a list needs. Each character of them is read by every cold list. */
interface BundledListings {
  /** The English and the Arabic label of each table, in turns; empty for a table without one. */
  readonly labels: readonly string[]
  /** Keyed by the place of the table: absent if there are none, `in the table` if only its own code has them. */
  readonly middlewares: Readonly<Record<number, readonly Middleware<Record<string, unknown>>[] | 'in the table'>>
}

/** The tables of a bundle whose code is in files beside it, each known by its place in `names`. */
interface TablesOnDemand {
  readonly names: readonly string[]
  /** Reads the code of one table. */
  readonly load: (place: number) => Promise<Table<never>>
  readonly listings: () => Promise<BundledListings>
}

/** Empty outside of bundles, where the registry imports its tables. The bundler replaces this module. */
export const tablesOnDemand: TablesOnDemand = {
  names: [],
  load: (place) => Promise.reject(new Error(`There is no table ${place}`)),
  listings: async () => ({ labels: [], middlewares: {} }),
}
