import type { DataProvider, GetListParams, GetListResult, GetManyParams, Identifier, RaRecord } from 'ra-core'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  exactTotal,
  extraParts,
  type GridItem,
  gridClient,
  type QueryParts,
  strictPage,
} from './grid-client.ts'
import { createCondition, type Equivalents, type GridPart, toSelection } from './grid-filters.ts'
import { createActionProvider } from './provided-actions.ts'

/** react-admin's operator suffixes, and further ones for the service's other operators. */
const equivalents: Equivalents = {
  eq: '=',
  neq: '!=',
  eq_any: 'in',
  neq_any: 'not in',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  q: 'like',
  nq: 'not like',
  between: 'between',
  nbetween: 'not between',
  startswith: 'starts with',
  endswith: 'ends with',
  null: 'is null',
  nnull: 'is not null',
  within: 'within',
  // Lists in one column.
  inc: undefined,
  inc_any: undefined,
  ninc_any: undefined,
}

interface ReactAdminOptions {
  /**
   * The columns with a date filter, in all tables: their filters name the column instead of `<name>_from` and
   * `<name>_to`.
   */
  readonly dates?: readonly string[]
}

/**
 * Creates a data provider whose resources are tables. Filters have the server's names, with an optional operator
 * suffix: `{ cost_total_gte: 1000, flight_date_from: '2001-01-01' }`; `q` is the search. Changes run the action
 * `meta.action` with the data as its form; `meta.params` are the table's params, and `meta.query` adds parts such as
 * `facets`.
 *
 * @example
 * <Admin dataProvider={reactAdminProvider(client)}><Resource name="bird_strikes" list={BirdStrikes} /></Admin>
 * update('bird_strikes', { id, data: { assignee: 'dana' }, meta: { action: 'assign' } })
 */
export function reactAdminProvider(client: AnyClient, options: ReactAdminOptions = {}): DataProvider {
  const grid = gridClient(client)
  const provider = createActionProvider(grid)
  const changeOne = async <T extends RaRecord>(resource: string, { id, data, meta, previousData }: Change) => ({
    data: toRecord<T>(
      await provider.change(
        resource,
        id,
        { expectedVersion: previousData?.['_version'], include: meta?.query?.include, ...meta },
        data,
      ),
    ),
  })
  const changeMany = async (resource: string, { ids, data, meta }: Changes) => ({
    data: (await provider.changeMany(resource, ids, meta, data)).map(({ id }) => id),
  })
  return {
    supportAbortSignal: true,
    getList: (resource, params) => loadList(client, resource, params, options),
    getManyReference: (resource, { target, id, filter, ...params }) =>
      loadList(client, resource, { ...params, filter: { ...filter, [target]: id } }, options),
    getOne: async (resource, { id, signal, meta }) => ({
      data: toRecord(
        await grid.refetchRow(resource, id, { signal, params: meta?.params, include: meta?.query?.include }),
      ),
    }),
    getMany: async <T extends RaRecord>(resource: string, { ids, signal, meta }: GetManyParams) => ({
      data: (
        await grid.refetchRows(resource, ids, { signal, params: meta?.params, include: meta?.query?.include })
      ).items.map(toRecord<T>),
    }),
    update: changeOne,
    updateMany: changeMany,
    delete: changeOne,
    deleteMany: changeMany,
    create: () => Promise.reject(createUnsupported('creating rows')),
  }
}

interface Change {
  readonly id: Identifier
  readonly data?: unknown
  readonly meta?: {
    readonly action?: string
    readonly params?: unknown
    readonly expectedVersion?: unknown
    readonly query?: QueryParts
  }
  /** The row as the user has seen it; it has a version if the list was read with `include: ['version']`. */
  readonly previousData?: Readonly<Record<string, unknown>> | undefined
}

interface Changes extends Omit<Change, 'id' | 'previousData'> {
  readonly ids: readonly Identifier[]
}

/** react-admin's record type is generic: only the caller knows the columns of the table. */
const toRecord = <T extends RaRecord>(item: GridItem): T => item as unknown as T

async function loadList<T extends RaRecord>(
  client: AnyClient,
  resource: string,
  { pagination, sort, filter, meta, signal }: GetListParams,
  { dates = [] }: ReactAdminOptions,
): Promise<GetListResult<T>> {
  const { q, ...conditions } = (filter ?? {}) as Readonly<Record<string, unknown>>
  const query = completeQuery(meta ?? {}, {
    ...(pagination !== undefined && pagination),
    ...toSelection(Object.entries(conditions).map(([name, value]) => toFilter(name, value, dates))),
    ...((q ?? '') !== '' && { search: String(q) }),
    sorts:
      sort === undefined ? [] : [{ field: sort.field, direction: sort.order === 'DESC' ? 'desc' : 'asc' } as const],
  })
  const page = await strictPage(client, resource, query, { signal })
  const { items, pagination: found } = page
  const total = exactTotal(found)
  const extra = extraParts(page)
  return {
    data: items.map(toRecord<T>),
    ...(total !== undefined && { total }),
    pageInfo: { hasNextPage: found.next_cursor !== null, hasPreviousPage: found.current_page > 1 },
    ...(Object.keys(extra).length > 0 && { meta: extra }),
  }
}

/** A field without a suffix uses the first operator of its filter. */
function toFilter(name: string, value: unknown, dates: readonly string[]): GridPart {
  const [, field = name, operator = ''] = /^(.+?)_(n?eq_any|n?inc_any|[a-z]+)$/.exec(name) ?? []
  if (Object.hasOwn(equivalents, operator)) {
    return createCondition(equivalents, { field, operator, value, isDate: dates.includes(field) })
  }
  if (dates.includes(name)) return createCondition(equivalents, { field: name, operator: 'eq', value, isDate: true })
  return { field: name, value: value as string }
}
