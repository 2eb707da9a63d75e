import type { DataProvider, GetListParams, GetListResult, GetManyParams, Identifier, RaRecord } from 'ra-core'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  certainTotal,
  type GridFilter,
  type GridItem,
  gridClient,
  gridFilter,
  strictPage,
  unsupported,
} from './grid-client.ts'
import { actionProvider } from './provided-actions.ts'

/** The suffixes of react-admin's own list of operators; a field without one uses the first that its filter allows. */
const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ eq: '=', neq: '!=', eq_any: 'in', neq_any: 'not in', lt: '<', lte: '<=', gt: '>', gte: '>=', q: 'like' },
}

/**
 * Tables as react-admin's resources. Filters are named as the server names them, with an operator as suffix if need be:
 * `{ cost_total_gte: 1000, flight_date_from: '2001-01-01' }`. Rows change by actions: `meta.action` names the one to run,
 * with the data as its form; `meta.params` is the table's context.
 *
 * @example
 * <Admin dataProvider={reactAdminProvider(client)}><Resource name="bird_strikes" list={BirdStrikes} /></Admin>
 * update('bird_strikes', { id, data: { assignee: 'dana' }, meta: { action: 'assign' } })
 */
export function reactAdminProvider(client: AnyClient): DataProvider {
  const grid = gridClient(client)
  const provider = actionProvider(grid)
  const one = async <T extends RaRecord>(resource: string, { id, data, meta }: Change) => ({
    data: record<T>(await provider.change(resource, id, meta, data)),
  })
  const many = async (resource: string, { ids, data, meta }: Changes) => ({
    data: (await provider.changeMany(resource, ids, meta, data)).map(({ id }) => id),
  })
  return {
    supportAbortSignal: true,
    getList: (resource, params) => listOf(client, resource, params),
    getManyReference: (resource, { target, id, filter, ...params }) =>
      listOf(client, resource, { ...params, filter: { ...filter, [target]: id } }),
    getOne: async (resource, { id, signal, meta }) => ({
      data: record(await grid.refetchRow(resource, id, { signal, params: meta?.params })),
    }),
    getMany: async <T extends RaRecord>(resource: string, { ids, signal, meta }: GetManyParams) => ({
      data: (await grid.refetchRows(resource, ids, { signal, params: meta?.params })).items.map(record<T>),
    }),
    update: one,
    updateMany: many,
    delete: one,
    deleteMany: many,
    create: () => Promise.reject(unsupported('creating rows')),
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

/** Records are generic in react-admin's interface: what a table really has, only its caller knows. */
const record = <T extends RaRecord>(item: GridItem): T => item as unknown as T

async function listOf<T extends RaRecord>(
  client: AnyClient,
  resource: string,
  { pagination, sort, filter, meta, signal }: GetListParams,
): Promise<GetListResult<T>> {
  const query = {
    ...(pagination !== undefined && pagination),
    filters: Object.entries<unknown>(filter ?? {}).map(([name, value]) => filterOf(name, value)),
    sorts:
      sort === undefined ? [] : [{ field: sort.field, direction: sort.order === 'DESC' ? 'desc' : 'asc' } as const],
    ...(meta?.params !== undefined && { params: meta.params }),
  }
  const { items, pagination: found } = await strictPage(client, resource, query, { signal })
  const total = certainTotal(found)
  return {
    data: items.map(record<T>),
    ...(total !== undefined && { total }),
    pageInfo: { hasNextPage: found.next_cursor !== null, hasPreviousPage: found.current_page > 1 },
  }
}

function filterOf(name: string, value: unknown): GridFilter {
  const [, field = '', suffix = ''] = /^(.+?)_(eq_any|neq_any|[a-z]+)$/.exec(name) ?? []
  if (Object.hasOwn(operators, suffix)) return gridFilter(operators, field, suffix, value)
  return { field: name, value: value as GridFilter['value'] }
}
