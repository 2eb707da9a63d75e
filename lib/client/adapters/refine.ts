import type { BaseRecord, CrudFilter, DataProvider, MetaQuery } from '@refinedev/core'
import { TableError } from '../table-error.ts'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  createGridFilter,
  createUnsupported,
  type GridFilter,
  gridClient,
  reachableTotal,
  strictPage,
} from './grid-client.ts'
import { createActionProvider } from './provided-actions.ts'

const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', between: 'between' },
  ...{ in: 'in', nin: 'not in', contains: 'like', ncontains: 'not like' },
}

/**
 * Creates a data provider whose resources are tables. Filters have the server's names, so a date has `<name>_from` and
 * `<name>_to`. Changes run the action `meta.action` with the variables as its form.
 *
 * @example
 * <Refine dataProvider={refineDataProvider(client, baseUrl)} resources={[{ name: 'bird_strikes' }]} />
 * const { mutate } = useUpdate({ resource: 'bird_strikes', meta: { action: 'assign' } })
 */
export function refineDataProvider(client: AnyClient, baseUrl: string): DataProvider {
  const grid = gridClient(client)
  const provider = createActionProvider(grid)
  const nothing = (what: string) => () => Promise.reject(createUnsupported(what))
  const change = async <T>(resource: string, id: string | number, meta: MetaQuery | undefined, input: unknown) => ({
    data: (await provider.change(resource, id, toChangeMeta(meta), input)) as T,
  })
  const all = async <T>(resource: string, ids: (string | number)[], meta: MetaQuery | undefined, input: unknown) => ({
    data: (await provider.changeMany(resource, ids, toChangeMeta(meta), input)) as T[],
  })
  return withHttpErrors({
    getApiUrl: () => baseUrl,
    getList: async <T extends BaseRecord>({ resource, pagination, sorters = [], filters = [], meta }: ListParams) => {
      if (pagination?.mode !== undefined && pagination.mode !== 'server') throw createUnsupported('all rows at once')
      const query = {
        page: pagination?.currentPage ?? 1,
        perPage: pagination?.pageSize ?? 10,
        filters: filters.flatMap(toFilters),
        sorts: sorters.map(({ field, order }) => ({ field, direction: order })),
        ...(meta?.['params'] !== undefined && { params: meta['params'] }),
      }
      const page = await strictPage(client, resource, query, { signal: meta?.queryContext?.signal })
      return {
        data: [...page.items] as BaseRecord[] as T[],
        total: reachableTotal(page.pagination),
        pagination: page.pagination,
      }
    },
    getOne: async <T>({ resource, id, meta }: Parameters<DataProvider['getOne']>[0]) => ({
      data: (await grid.refetchRow(resource, id, toReadOptions(meta))) as T,
    }),
    getMany: async <T>({ resource, ids, meta }: { resource: string; ids: (string | number)[]; meta?: MetaQuery }) => ({
      data: [...(await grid.refetchRows(resource, ids, toReadOptions(meta))).items] as T[],
    }),
    update: ({ resource, id, variables, meta }) => change(resource, id, meta, variables),
    updateMany: ({ resource, ids, variables, meta }) => all(resource, ids, meta, variables),
    deleteOne: ({ resource, id, variables, meta }) => change(resource, id, meta, variables),
    deleteMany: ({ resource, ids, variables, meta }) => all(resource, ids, meta, variables),
    create: nothing('creating rows'),
    createMany: nothing('creating rows'),
    custom: nothing('requests of other kinds'),
  })
}

/** Adds the properties that refine reads from errors: `statusCode`, and `errors` for the fields of a form. */
function withHttpErrors(provider: DataProvider): DataProvider {
  const addHttpErrors = async (answer: Promise<unknown>) => {
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof TableError)) throw error
      const errors = Object.fromEntries(Object.entries(error.fields).map(([path, texts]) => [path, [...texts]]))
      throw Object.assign(error, { statusCode: error.status, errors })
    }
  }
  const entries = Object.entries(provider).map(([name, call]) => [
    name,
    name === 'getApiUrl' ? call : (asked: never) => addHttpErrors((call as (asked: never) => Promise<unknown>)(asked)),
  ])
  return Object.fromEntries(entries)
}

const toChangeMeta = (meta: MetaQuery | undefined) => ({ action: meta?.['action'], params: meta?.['params'] })

const toReadOptions = (meta: MetaQuery | undefined) => ({
  signal: meta?.queryContext?.signal,
  params: meta?.['params'],
})

type ListParams = Parameters<DataProvider['getList']>[0]

function toFilters(filter: CrudFilter): readonly GridFilter[] {
  if (filter.operator === 'or') throw createUnsupported('filters joined by "or"')
  if (filter.operator === 'and') return filter.value.flatMap(toFilters)
  // A cleared filter has no value.
  if (!('field' in filter) || filter.value === undefined || filter.value === '') return []
  return [createGridFilter(operators, filter.field, filter.operator, filter.value)]
}
