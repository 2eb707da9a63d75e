import { createItemActions } from './item-actions.ts'
import { joinSignals } from './pause.ts'
import type { Item, Page, Query, Structure, StructureWithData } from './queries.ts'
import type { KeyOf, TableTypes } from './table-types.ts'
import type { CallOptions, Send } from './transport.ts'
import type { RowId, Urls } from './wire.ts'

export interface LoadOptions<T extends TableTypes> extends CallOptions {
  readonly params?: T['params']
}

export interface RefetchOptions<T extends TableTypes>
  extends LoadOptions<T>,
    Pick<Query<T>, 'include' | 'columns' | 'search'> {}

/** A table as the list of tables names it. */
export interface ListedTable<Name extends string = string> {
  readonly tableName: Name
  /** In the caller's language. */
  readonly label: string
  readonly load_url: Urls
}

export interface RefetchedRow<T extends TableTypes> {
  readonly data: { readonly row: Item<T> }
}

export interface RefetchedRows<T extends TableTypes> {
  readonly items: readonly Item<T>[]
  readonly missing: readonly RowId[]
}

/** Creates the calls that read tables. */
export function createTableCalls<Tables extends Readonly<Record<string, TableTypes>>>(send: Send) {
  type Name = KeyOf<Tables>
  const post = <A extends object>(endpoint: string, body: object, { signal }: CallOptions = {}): Promise<A> =>
    send(`./${endpoint}`, { body, signal, isRepeatable: true })
  const load = <A extends object>(path: string, params: unknown, signal?: AbortSignal): Promise<A> => {
    const query = params === undefined ? '' : `${path.includes('?') ? '&' : '?'}params=${encodeParams(params)}`
    return send(`./load-table/${path}${query}`, { signal })
  }
  const actions = createItemActions()
  const read = {
    /** Lists the tables that the caller may load. */
    tables: async ({ signal }: CallOptions = {}): Promise<readonly ListedTable<Name>[]> =>
      (await send<{ readonly tables: readonly ListedTable<Name>[] }>('.', { signal })).tables,
    loadTable: async <N extends Name>(table: N, { params, signal }: LoadOptions<Tables[N]> = {}) => {
      const structure = await load<Structure<Tables[N]>>(segment(table), params, signal)
      actions.remember(table, params, structure)
      return structure
    },
    /** The structure and the first page in one request. */
    loadTableWithData: async <N extends Name>(table: N, { params, signal }: LoadOptions<Tables[N]> = {}) => {
      const path = `${segment(table)}/true?row_actions=keys`
      const structure = await load<StructureWithData<Tables[N]>>(path, params, signal)
      actions.remember(table, params, structure)
      return { ...structure, data: actions.completeBy(structure, structure.data) }
    },
    /**
     * Reads one page. Once the table's structure is loaded, rows are requested without the parts of actions that it
     * contains.
     */
    queryTable: <N extends Name>(table: N, query: Query<Tables[N]> = {}, options?: CallOptions) =>
      actions.complete(
        { table, params: query.params },
        (extra) => post<Page<Tables[N]>>(`query-table/${segment(table)}`, { ...query, ...extra }, options),
        (page, whole) => ({ ...page, items: page.items.map(whole) }),
      ),
    /** Counts the rows of a query without reading them. The total is exact. */
    countRows: async <N extends Name>(table: N, query: Query<Tables[N]> = {}, options?: CallOptions) =>
      (await post<Page<Tables[N]>>(`query-table/${segment(table)}`, { ...query, count_only: true }, options))
        .pagination,
    refetchRow: async <N extends Name>(
      table: N,
      id: RowId,
      { signal, ...asked }: RefetchOptions<Tables[N]> = {},
    ): Promise<Item<Tables[N]>> => {
      const path = `row-refetch/${segment(table)}/${rowSegment(id)}`
      const { data } = await actions.complete(
        { table, params: asked.params },
        (extra) => post<RefetchedRow<Tables[N]>>(path, { ...asked, ...extra }, { signal }),
        ({ data: { row } }, whole) => ({ data: { row: whole(row) } }),
      )
      return data.row
    },
    /**
     * Reads up to 1,000 rows, in the order of the ids. `missing` are ids that do not exist or that the caller may not
     * see.
     */
    refetchRows: <N extends Name>(
      table: N,
      ids: readonly RowId[],
      { signal, ...asked }: RefetchOptions<Tables[N]> = {},
    ) =>
      actions.complete(
        { table, params: asked.params },
        (extra) =>
          post<RefetchedRows<Tables[N]>>(
            `multi-row-refetch/${segment(table)}`,
            { row_ids: ids, ...asked, ...extra },
            { signal },
          ),
        (rows, whole) => ({ ...rows, items: rows.items.map(whole) }),
      ),
  }
  return {
    ...read,
    /** Creates a view of one table: each query aborts the one before, which then resolves to `undefined`. */
    view: <N extends Name>(table: N) => {
      const latest = createLatestOnly()
      return {
        query: (query: Query<Tables[N]> = {}, { signal }: CallOptions = {}) =>
          latest((own) => read.queryTable(table, query, { signal: own }), signal),
      }
    },
  }
}

const encodeParams = (params: unknown): string => encodeURIComponent(JSON.stringify(params))

const segment = (text: string): string => encodeURIComponent(text)

/** Encodes ids with characters that a path cannot contain as base64url behind a tilde. */
export function rowSegment(id: RowId): string {
  const text = String(id)
  if (!/[/?#%\\]|^~|^\.{1,2}$/.test(text)) return segment(text)
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte))
  return `~${btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`
}

/** Returns a function that runs `work`; each run aborts the one before, whose promise then resolves to `undefined`. */
function createLatestOnly() {
  let current: AbortController | undefined
  return async <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> => {
    current?.abort()
    const own = new AbortController()
    current = own
    try {
      const response = await work(joinSignals(own.signal, signal))
      return own.signal.aborted ? undefined : response
    } catch (error) {
      if (own.signal.aborted) return undefined
      throw error
    }
  }
}
