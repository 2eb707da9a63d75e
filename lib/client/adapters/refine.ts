import type { BaseRecord, CrudFilter, CrudOperators, DataProvider, MetaQuery } from '@refinedev/core'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  extraParts,
  gridClient,
  reachableTotal,
  strictPage,
} from './grid-client.ts'
import { createCondition, type Equivalents, type GridPart, joinFilters, toSelection } from './grid-filters.ts'
import { createActionProvider } from './provided-actions.ts'
import { withHttpErrors } from './refine-errors.ts'

/**
 * refine's operators and those of the service. Those that respect case have none, because only `=` does in the service.
 */
const equivalents: Equivalents<Exclude<CrudOperators, 'or' | 'and'>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  nin: 'not in',
  between: 'between',
  nbetween: 'not between',
  null: 'is null',
  nnull: 'is not null',
  contains: 'like',
  ncontains: 'not like',
  startswith: 'starts with',
  nstartswith: { none: 'starts with' },
  endswith: 'ends with',
  nendswith: { none: 'ends with' },
  ina: undefined,
  nina: undefined,
  eqs: undefined,
  nes: undefined,
  containss: undefined,
  ncontainss: undefined,
  startswiths: undefined,
  nstartswiths: undefined,
  endswiths: undefined,
  nendswiths: undefined,
}

interface RefineOptions {
  /**
   * The columns with a date filter, in all tables: their filters name the column instead of `<name>_from` and
   * `<name>_to`.
   */
  readonly dates?: readonly string[]
}

/**
 * Creates a data provider whose resources are tables. Filters have the server's names, so a date that is not among
 * `dates` has `<name>_from` and `<name>_to`. `meta.query` adds parts such as `search` and `facets`. Changes run the
 * action `meta.action` with the variables as its form.
 *
 * @example
 * <Refine dataProvider={refineDataProvider(client, baseUrl)} resources={[{ name: 'bird_strikes' }]} />
 * const { mutate } = useUpdate({ resource: 'bird_strikes', meta: { action: 'assign' } })
 */
export function refineDataProvider(
  client: AnyClient,
  baseUrl: string,
  { dates = [] }: RefineOptions = {},
): DataProvider {
  const grid = gridClient(client)
  const provider = createActionProvider(grid)
  const nothing = (what: string) => () => Promise.reject(createUnsupported(what))
  const change = async <T>({ resource, id, meta, variables }: ChangeParams & { id: string | number }) => ({
    data: (await provider.change(resource, id, toChangeMeta(meta), variables)) as T,
  })
  const changeMany = async <T>({ resource, ids, meta, variables }: ChangeParams & { ids: (string | number)[] }) => ({
    data: [...(await provider.changeMany(resource, ids, toChangeMeta(meta), variables))] as T[],
  })
  return addHttpErrors({
    getApiUrl: () => baseUrl,
    getList: async <T extends BaseRecord>({ resource, pagination, sorters = [], filters = [], meta }: ListParams) => {
      if (pagination?.mode !== undefined && pagination.mode !== 'server') throw createUnsupported('all rows at once')
      const query = completeQuery(
        { query: meta?.['query'], params: meta?.['params'] },
        {
          page: pagination?.currentPage ?? 1,
          perPage: pagination?.pageSize ?? 10,
          ...toSelection(filters.flatMap((filter) => toFilters(filter, dates))),
          sorts: sorters.map(({ field, order }) => ({ field, direction: order })),
        },
      )
      const page = await strictPage(client, resource, query, { signal: meta?.queryContext?.signal })
      return {
        data: [...page.items] as BaseRecord[] as T[],
        total: reachableTotal(page.pagination),
        pagination: page.pagination,
        ...extraParts(page),
      }
    },
    getOne: async <T>({ resource, id, meta }: Parameters<DataProvider['getOne']>[0]) => ({
      data: (await grid.refetchRow(resource, id, toReadOptions(meta))) as T,
    }),
    getMany: async <T>({ resource, ids, meta }: { resource: string; ids: (string | number)[]; meta?: MetaQuery }) => ({
      data: [...(await grid.refetchRows(resource, ids, toReadOptions(meta))).items] as T[],
    }),
    update: change,
    updateMany: changeMany,
    deleteOne: change,
    deleteMany: changeMany,
    create: nothing('creating rows'),
    createMany: nothing('creating rows'),
    custom: nothing('requests of other kinds'),
  })
}

function addHttpErrors(provider: DataProvider): DataProvider {
  const entries = Object.entries(provider).map(([name, call]) => [
    name,
    name === 'getApiUrl' ? call : (asked: never) => withHttpErrors((call as (asked: never) => Promise<unknown>)(asked)),
  ])
  return Object.fromEntries(entries)
}

const toChangeMeta = (meta: MetaQuery | undefined) => ({
  action: meta?.['action'],
  params: meta?.['params'],
  expectedVersion: meta?.['expectedVersion'],
  include: meta?.['query']?.include,
})

const toReadOptions = (meta: MetaQuery | undefined) => ({
  signal: meta?.queryContext?.signal,
  params: meta?.['params'],
  include: meta?.['query']?.include,
})

type ListParams = Parameters<DataProvider['getList']>[0]

interface ChangeParams {
  readonly resource: string
  readonly meta?: MetaQuery | undefined
  readonly variables?: unknown
}

function toFilters(filter: CrudFilter, dates: readonly string[]): readonly GridPart[] {
  if (filter.operator === 'or' || filter.operator === 'and') {
    const parts = filter.value.flatMap((part) => toFilters(part, dates))
    return joinFilters(parts, filter.operator)
  }
  if (!('field' in filter)) return []
  const { field, operator, value } = filter
  const isEmptiness = operator === 'null' || operator === 'nnull'
  // A cleared filter has no value.
  if (!isEmptiness && (value === undefined || value === '')) return []
  return [createCondition(equivalents, { field, operator, value, isDate: dates.includes(field) })]
}
