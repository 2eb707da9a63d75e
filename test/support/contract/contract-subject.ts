import postgres, { type Sql } from 'postgres'
import { registry as installation } from '#tables'
import { migrate } from '../../../lib/db/migrate.ts'
import { readMigrations } from '../../../lib/db/migration-files.ts'
import { createRegistry, type Table } from '../../../lib/index.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { TableShape } from '../../../lib/wire/table-shape.ts'
import type { DatabaseTemplate } from '../database/test-database.ts'
import { startTableService } from '../parcels/parcel-service.ts'
import type { Api } from '../requests/api.ts'
import type { TestIdentity } from '../requests/identity-provider.ts'
import { type ContractData, type ContractRow, readContractData } from './contract-data.ts'
import { type ChosenValues, fillTables } from './contract-rows.ts'

/** A caller and the rows that they may see, stated independently of the table's scope. */
export interface ContractCaller {
  /** The claims of the token beside `sub`. */
  readonly claims?: Readonly<Record<string, unknown>>
  /**
   * Whether a row exists for this caller, by its attributes. Default: each does. Dates are `YYYY-MM-DD HH:mm:ss.SSS` in
   * UTC.
   */
  readonly sees?: (row: ContractRow['own']) => boolean
}

export interface ContractOptions {
  /** Callers by a name for messages. Default: one caller without claims who sees every row. */
  readonly callers?: Readonly<Record<string, ContractCaller>>
  /** The values of attributes for which only some values are valid; includes `null`. */
  readonly values?: ChosenValues
  /** The number of rows that are generated, up to 200. Default: 120. */
  readonly rows?: number
  /**
   * Prepares the migrated database, as its owner: rows of yours are left as they are, and none are generated beside
   * them.
   */
  readonly fill?: (sql: Sql) => Promise<unknown>
  /** The `params` that requests carry. */
  readonly params?: Readonly<Record<string, unknown>>
}

export interface SubjectCaller {
  readonly name: string
  readonly identity: TestIdentity
  readonly rows: readonly ContractRow[]
  readonly hidden: readonly ContractRow[]
}

/** A table of an author behind the service, and what its database holds. */
export interface ContractSubject {
  readonly api: Api
  readonly table: CompiledTable
  readonly data: ContractData
  readonly callers: readonly SubjectCaller[]
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly stop: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a table of any claims and shape
export type AnyTable = Table<any, TableShape>

/** The tables of the installation and of the service, without rows. */
export const migratedTables: DatabaseTemplate = {
  name: 'migrated_tables',
  build: (url) =>
    withOwner(url, async (sql) => {
      const folder = new URL('../../../tables/migrations/', import.meta.url)
      await migrate(sql, readMigrations(folder).migrations)
    }),
}

/** Serves a table over a database of its own with rows for it; stop it afterwards. */
export async function startContract(table: AnyTable, options: ContractOptions = {}): Promise<ContractSubject> {
  const { claims, middlewares } = installation
  const registry = createRegistry([table], { ...(claims && { claims }), middlewares })
  const compiled = registry.tables.get(table.definition.name)
  if (compiled === undefined) throw new Error('a table that is registered is in its registry')
  let data: ContractData = { rows: [], kinds: new Map() }
  const prepare = (url: string) =>
    withOwner(url, async (sql) => {
      await options.fill?.(sql)
      await fillTables(sql, table.definition, { count: options.rows ?? 120, values: options.values ?? {} })
      data = await readContractData(sql, table.definition)
    })
  const { api, stop } = await startTableService({ registry, template: migratedTables, prepare })
  return { api, table: compiled, data, callers: listCallers(options, data), params: options.params, stop }
}

function listCallers({ callers = { 'a caller with a token': {} } }: ContractOptions, { rows }: ContractData) {
  return Object.entries(callers).map(([name, { claims, sees = () => true }], index) => ({
    name,
    identity: { sub: `caller-${index}`, ...claims },
    rows: rows.filter(({ own }) => sees(own)),
    hidden: rows.filter(({ own }) => !sees(own)),
  }))
}

async function withOwner(url: string, use: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { TimeZone: 'UTC' } })
  try {
    await use(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
