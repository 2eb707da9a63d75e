import { and, eq, gte, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { everyRow, forbidden } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { countries, products } from './fixture-schema.ts'

const ofCountries = { from: countries, key: 'code', columns: { name: { label: 'Name' } } } as const

/** The steps of the code of `traced`, in order; a test empties the list first. */
export const tableCodeRuns: string[] = []

const trace = (step: string) => (): void => {
  tableCodeRuns.push(step)
}

export const tracedTable = defineFixture({
  name: 'traced',
  ...ofCountries,
  middlewares: [trace('first middleware'), trace('second middleware')],
  params: z.unknown().transform(trace('params')),
  scope: () => {
    trace('scope')()
    return everyRow()
  },
})

/** Tables whose middlewares reject in every way there is. */
export const rejectingTables = [
  defineFixture({
    name: 'managers_only',
    ...ofCountries,
    scope: everyRow,
    middlewares: [
      async ({ identity }) => {
        if (identity.claims.role !== 'manager') throw forbidden({ en: 'Managers only', ar: 'للمديرين فقط' })
      },
    ],
  }),
  defineFixture({
    name: 'forbidden_plainly',
    ...ofCountries,
    scope: everyRow,
    middlewares: [
      () => {
        throw forbidden()
      },
      trace('after the rejection'),
    ],
  }),
  defineFixture({
    name: 'forbidden_by_law',
    ...ofCountries,
    scope: everyRow,
    middlewares: [
      ({ headers, guard, method, endpoint, sourceIp }) => {
        const text = [headers['x-reason'], guard, method, endpoint, sourceIp].join(' ')
        throw forbidden({ en: text, ar: `ممنوع ${text}` }, 451)
      },
    ],
  }),
]

const onlyFor = (admits: (endpoint: string) => boolean) => [
  ({ endpoint }: { readonly endpoint: string }): void => {
    if (!admits(endpoint)) throw forbidden()
  },
]

/** Tables whose middlewares look at the endpoint. */
export const byEndpointTables = [
  defineFixture({
    name: 'structure_alone',
    ...ofCountries,
    scope: everyRow,
    middlewares: onlyFor((endpoint) => endpoint.endsWith('.loadTable')),
  }),
  defineFixture({
    name: 'rows_alone',
    ...ofCountries,
    scope: everyRow,
    middlewares: onlyFor((endpoint) => !endpoint.endsWith('.loadTable')),
  }),
]

const brokenScope = (): SQL => undefined as unknown as SQL

/** Tables whose authors made mistakes that only a request shows. */
export const brokenTables = [
  defineFixture({ name: 'unscoped', ...ofCountries, scope: brokenScope }),
  defineFixture({
    name: 'breaking_middleware',
    ...ofCountries,
    scope: everyRow,
    middlewares: [
      () => {
        throw new Error('password=hunter2')
      },
    ],
  }),
  defineFixture({
    name: 'breaking_cell',
    from: countries,
    key: 'code',
    scope: everyRow,
    columns: {
      broken: {
        label: 'Broken',
        value: () => {
          throw new Error('select hunter2 from secrets')
        },
      },
    },
  }),
]

const isManager = ({ identity }: { readonly identity: { readonly claims: { readonly role?: string | undefined } } }) =>
  identity.claims.role === 'manager'

const managersOptions = (context: Parameters<typeof isManager>[0]) => {
  if (!isManager(context)) throw new Error('ran for a caller who may not know of it')
  return [{ value: 'secret', label: 'Secret option' }]
}

/** Half of this table exists for managers only. */
export const dealsTable = defineFixture({
  name: 'deals',
  from: products,
  key: 'id',
  scope: ({ identity }) => eq(products.tenant, identity.claims.tenant),
  columns: {
    id: { label: 'ID' },
    name: { label: 'Name' },
    price: { label: 'Price', loadIf: isManager },
    weight: { label: 'Weight', loadIf: isManager },
    stock: { label: 'Stock' },
    margin: { label: 'Margin', loadIf: isManager, value: ({ price }) => `margin of ${price}` },
    made_on: { label: 'Made on', loadIf: isManager },
  },
  actionsColumn: false,
  sortables: ['id', 'name', 'price', 'stock'],
  defaultSort: ['price', 'desc'],
  filters: {
    name: { type: 'text', label: 'Name' },
    price: { type: 'number', label: 'Price' },
    made_on: { type: 'date', label: 'Made on' },
  },
  advancedFilters: {
    reserve: { type: 'number', label: 'Reserve', source: 'stock', loadIf: isManager },
  },
  bindings: {
    open: () => [{ value: 1, label: 'Open option' }],
    price: managersOptions,
    reserve: managersOptions,
    weight: managersOptions,
    made_on: managersOptions,
  },
  rowActions: { approve: { loadIf: isManager, run: () => {} }, read: { run: () => {} } },
  bulkActions: {
    settle: { loadIf: isManager, response: 'notification', run: () => {} },
    list: { response: 'notification', run: () => {} },
  },
})

/** Scoped context: `min_stock` narrows the rows, never past the tenant; `echo` shows what arrived. */
export const stockedTable = defineFixture({
  name: 'stocked',
  from: products,
  key: 'id',
  params: z.object({
    min_stock: z.coerce.number().default(-10),
    warehouse: z.enum(['main', 'spare']).optional(),
    nested: z.object({ depth: z.number() }).optional(),
    params_version: z.string().optional(),
  }),
  scope: ({ identity, params }) =>
    and(eq(products.tenant, identity.claims.tenant), gte(products.stock, params.min_stock)) ?? everyRow(),
  columns: {
    name: { label: 'Name' },
    echo: { label: 'Echo', value: (_, { params }) => JSON.stringify(params) },
  },
  bindings: { echo: ({ params }) => [{ value: params.min_stock, label: JSON.stringify(params) }] },
})

/** Takes any `params` and shows their names. */
export const echoTable = defineFixture({
  name: 'echo',
  from: countries,
  key: 'code',
  params: z.looseObject({}),
  scope: everyRow,
  columns: { names: { label: 'Names', value: (_, { params }) => Object.keys(params).sort().join(' ') } },
})

const ofProducts = {
  from: products,
  key: 'id',
  columns: { name: { label: 'Name' } },
  sortables: ['name'],
  filters: { name: { type: 'text', label: 'Name' } },
} as const

const inTenant = ({ identity }: { readonly identity: { readonly claims: { readonly tenant: string } } }) =>
  eq(products.tenant, identity.claims.tenant)

/** The same rows under every way of counting and paging. */
export const countedTables = [
  defineFixture({ name: 'capped_at_five', ...ofProducts, scope: inTenant, count: { capped: 5 } }),
  defineFixture({ name: 'capped', ...ofProducts, scope: inTenant, count: 'capped' }),
  defineFixture({ name: 'estimated', ...ofProducts, scope: everyRow, count: 'estimated' }),
  defineFixture({ name: 'estimated_in_scope', ...ofProducts, scope: inTenant, count: 'estimated' }),
  defineFixture({ name: 'deep', ...ofProducts, scope: inTenant, maxOffset: 10 }),
  defineFixture({ name: 'wide', ...ofProducts, scope: inTenant, maxPerPage: 1000 }),
  defineFixture({ name: 'جدول', ...ofProducts, scope: inTenant }),
]
