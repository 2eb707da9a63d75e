import type * as z from 'zod/mini'
import { authenticate, type CallerRules } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { DefaultMiddleware, Middleware } from '../auth/middleware.ts'
import type { Label } from '../i18n/language.ts'
import type { TableShape } from '../wire/table-shape.ts'
import { checkRegistry } from './check-definition.ts'
import { compileTable } from './compile-table.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { Table } from './definition.ts'
import { tablesOnDemand } from './tables-on-demand.ts'

/** A table of any claims. */
type AnyTable = Table<never>

type ShapeIn<T> = T extends Table<never, infer Shape> ? Shape : TableShape

type MaybePromise<T> = T | Promise<T>

/** A table of a registry, whose code may not be loaded yet. */
export interface RegisteredTable {
  readonly name: string
  /** Returns the table. Where it is loaded on demand, the first call reads and compiles its code. */
  readonly load: () => MaybePromise<CompiledTable>
  /** Returns the table if it is loaded. */
  readonly findLoaded: () => CompiledTable | undefined
  /** Returns what the list of tables needs, without the table's code if possible. */
  readonly describe: () => MaybePromise<TableListing>
}

/** The facts about one table that the list of tables needs. */
export interface TableListing {
  readonly name: string
  readonly label?: Label
  readonly middlewares: readonly Middleware<Record<string, unknown>>[]
}

/** The tables of an installation and the checks that every request to them passes first. */
export interface Registry<Shape extends TableShape = TableShape> extends CallerRules {
  /** Never present at run time: one shape for each table, told apart by its name. */
  readonly shape?: Shape
  readonly tenant?: (identity: Identity) => string | undefined
  /** The tables by their names. A request loads the one that it names. */
  readonly registered: ReadonlyMap<string, RegisteredTable>
}

/** A registry whose tables are all loaded, as its module has it everywhere but in a bundle. */
export interface LoadedRegistry<Shape extends TableShape = TableShape> extends Registry<Shape> {
  readonly tables: ReadonlyMap<string, CompiledTable>
}

type IdentityNow<Claims> = Identity<Claims> | undefined | Promise<Identity<Claims> | undefined>

interface RegistryOptions<Claims> {
  /**
   * Names the group of callers who may share saved views with each other; `undefined` for a caller who shares none.
   * Needed where a table declares `views: { shared: true }`.
   */
  readonly tenant?: (identity: Identity<Claims>) => string | undefined
  /**
   * The claims that table files rely on. A token whose claims do not fit is refused (401). Default: all claims of the
   * token, without those that change with each token or log-in, such as `jti` and `sid`.
   */
  readonly claims?: z.core.$ZodType<Claims>
  /**
   * Middlewares that run before every table's own. Default: only the token check. One of them must establish the
   * identity.
   */
  readonly middlewares?: readonly DefaultMiddleware[]
  /**
   * Returns the identity of a job's owner at the moment when the job runs, because the claims may have changed.
   * `undefined` withdraws the right to the job, which then fails as `forbidden`. Default: the identity of the request,
   * with its claims stored as JSON.
   */
  readonly identityNow?: (identity: Identity<Claims>) => IdentityNow<Claims>
}

/**
 * Checks and compiles every table; throws where one is wrong or two share a name. In a bundle, where all of that has
 * been done, the tables that have a file of their own are loaded when a request names them.
 */
export function createRegistry<Claims extends Record<string, unknown>, T extends readonly AnyTable[]>(
  tables: T & readonly Table<Claims>[],
  { claims, middlewares = [authenticate], identityNow, tenant }: RegistryOptions<Claims> = {},
): LoadedRegistry<ShapeIn<T[number]>> {
  const registered = new Map<string, RegisteredTable>()
  const compiled = new Map<string, CompiledTable>()
  // The bundler puts the places of tables where their imports were.
  for (const table of tables as readonly (AnyTable | number)[]) {
    const entry = typeof table === 'number' ? registerOnDemand(table) : registerLoaded(compileTable(table.definition))
    if (registered.has(entry.name)) throw new Error(`Two tables are named "${entry.name}"`)
    registered.set(entry.name, entry)
    const known = entry.findLoaded()
    if (known === undefined) continue
    compiled.set(entry.name, known)
    checkRegistry(known.definition, tenant, claims)
  }
  return {
    registered,
    tables: compiled,
    ...(claims !== undefined && { claims }),
    middlewares,
    ...(tenant !== undefined && { tenant: tenant as Registry['tenant'] & {} }),
    // Stored claims are an earlier output of `claims`.
    identityNow: (identityNow as Registry['identityNow'] | undefined) ?? ((identity) => identity),
  }
}

/** Returns a table for texts about it, such as its label; `undefined` if there is none or its code cannot be loaded. */
export async function findTable({ registered }: Registry, name: string): Promise<CompiledTable | undefined> {
  try {
    return await registered.get(name)?.load()
  } catch {
    return undefined
  }
}

const registerLoaded = (table: CompiledTable): RegisteredTable => ({
  name: table.name,
  load: () => table,
  findLoaded: () => table,
  describe: () => createListing(table),
})

function registerOnDemand(place: number): RegisteredTable {
  const name = tablesOnDemand.names[place]
  if (name === undefined) throw new Error(`createRegistry: there is no table ${place}`)
  let table: CompiledTable | undefined
  let loading: Promise<CompiledTable> | undefined
  const read = async () => {
    try {
      table = compileTable((await tablesOnDemand.load(place)).definition)
      return table
    } catch (cause) {
      loading = undefined
      throw new Error(`The table "${name}" cannot be loaded`, { cause })
    }
  }
  const load = () => {
    loading ??= read()
    return table ?? loading
  }
  const describe = async () => {
    const { labels, middlewares: listed } = await readListings()
    const [en, ar] = labels.slice(2 * place, 2 * place + 2)
    const middlewares = en === undefined ? 'in the table' : (listed[place] ?? [])
    if (middlewares === 'in the table') return createListing(await load())
    return { name, middlewares, ...(en && ar && { label: { en, ar } }) }
  }
  return { name, load, findLoaded: () => table, describe }
}

let listings: ReturnType<typeof tablesOnDemand.listings> | undefined

/** Reads the listings once. If that fails, as for a broken middleware, each table's own code is read instead. */
function readListings() {
  listings ??= tablesOnDemand.listings().catch(() => ({ labels: [], middlewares: {} }))
  return listings
}

const createListing = ({ name, definition: { label, middlewares = [] } }: CompiledTable): TableListing => ({
  name,
  middlewares,
  ...(label !== undefined && { label }),
})
