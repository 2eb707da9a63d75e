import type { DataProvider, GetListParams, GetListResult, GetManyParams, Identifier, RaRecord } from 'ra-core'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  createGridFilter,
  createUnsupported,
  exactTotal,
  type GridFilter,
  type GridItem,
  gridClient,
  strictPage,
} from './grid-client.ts'
import { createActionProvider } from './provided-actions.ts'

/** react-admin's operator suffixes. A field without one uses the first operator of its filter. */
const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ eq: '=', neq: '!=', eq_any: 'in', neq_any: 'not in', lt: '<', lte: '<=', gt: '>', gte: '>=', q: 'like' },
}

/**
 * Creates a data provider whose resources are tables. Filters have the server's names, with an optional operator suffix:
 * `{ cost_total_gte: 1000, flight_date_from: '2001-01-01' }`. Changes run the action `meta.action` with the data as its form;
 * `meta.params` are the table's params.
 *
 * @example
 * <Admin dataProvider={reactAdminProvider(client)}><Resource name="bird_strikes" list={BirdStrikes} /></Admin>
 * update('bird_strikes', { id, data: { assignee: 'dana' }, meta: { action: 'assign' } })
 */
export function reactAdminProvider(client: AnyClient): DataProvider {
  const grid = gridClient(client)
  const provider = createActionProvider(grid)
  const one = async <T extends RaRecord>(resource: string, { id, data, meta }: Change) => ({
    data: toRecord<T>(await provider.change(resource, id, meta, data)),
  })
  const many = async (resource: string, { ids, data, meta }: Changes) => ({
    data: (await provider.changeMany(resource, ids, meta, data)).map(({ id }) => id),
  })
  return {
    supportAbortSignal: true,
    getList: (resource, params) => loadList(client, resource, params),
    getManyReference: (resource, { target, id, filter, ...params }) =>
      loadList(client, resource, { ...params, filter: { ...filter, [target]: id } }),
    getOne: async (resource, { id, signal, meta }) => ({
      data: toRecord(await grid.refetchRow(resource, id, { signal, params: meta?.params })),
    }),
    getMany: async <T extends RaRecord>(resource: string, { ids, signal, meta }: GetManyParams) => ({
      data: (await grid.refetchRows(resource, ids, { signal, params: meta?.params })).items.map(toRecord<T>),
    }),
    update: one,
    updateMany: many,
    delete: one,
    deleteMany: many,
    create: () => Promise.reject(createUnsupported('creating rows')),
  }
}

interface Change {
  readonly id: Identifier
  readonly data?: unknown
  readonly meta?: { readonly action?: string; readonly params?: unknown }
}

interface Changes extends Omit<Change, 'id'> {
  readonly ids: readonly Identifier[]
}

/** react-admin's record type is generic: only the caller knows the columns of the table. */
const toRecord = <T extends RaRecord>(item: GridItem): T => item as unknown as T

async function loadList<T extends RaRecord>(
  client: AnyClient,
  resource: string,
  { pagination, sort, filter, meta, signal }: GetListParams,
): Promise<GetListResult<T>> {
  const query = {
    ...(pagination !== undefined && pagination),
    filters: Object.entries<unknown>(filter ?? {}).map(([name, value]) => toFilter(name, value)),
    sorts:
      sort === undefined ? [] : [{ field: sort.field, direction: sort.order === 'DESC' ? 'desc' : 'asc' } as const],
    ...(meta?.params !== undefined && { params: meta.params }),
  }
  const { items, pagination: found } = await strictPage(client, resource, query, { signal })
  const total = exactTotal(found)
  return {
    data: items.map(toRecord<T>),
    ...(total !== undefined && { total }),
    pageInfo: { hasNextPage: found.next_cursor !== null, hasPreviousPage: found.current_page > 1 },
  }
}

function toFilter(name: string, value: unknown): GridFilter {
  const [, field = '', suffix = ''] = /^(.+?)_(eq_any|neq_any|[a-z]+)$/.exec(name) ?? []
  if (Object.hasOwn(operators, suffix)) return createGridFilter(operators, field, suffix, value)
  return { field: name, value: value as GridFilter['value'] }
}
