import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  numeric,
  pgEnum,
  pgTable,
  real,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { createRegistry, and as every, everyRow, forbidden, tableDefiner } from '../../../lib/index.ts'
import { offeredNotes, parcelKinds, parcelStates } from './parcel-rows.ts'

const regions = pgTable('regions', { id: integer().primaryKey(), name: text().notNull() })

export const depots = pgTable('depots', { id: integer().primaryKey(), city: text(), region_id: integer() })

export const parcels = pgTable('parcels', {
  id: integer().primaryKey(),
  code: text().notNull().unique(),
  tenant: text().notNull(),
  state: text(),
  weight: integer(),
  big: bigint({ mode: 'bigint' }),
  price: numeric({ precision: 12, scale: 3 }),
  score: doublePrecision(),
  ratio: real(),
  kind: pgEnum('parcel_kind', parcelKinds)(),
  fragile: boolean(),
  shipped: date({ mode: 'string' }),
  packed: timestamp({ mode: 'string' }),
  seen: timestamp({ withTimezone: true, mode: 'string' }),
  token: uuid(),
  note: text(),
  depot_id: integer(),
})

const claims = z.object({
  tenant: z.string().default('north'),
  role: z.string().optional(),
  states: z.array(z.string()).default([]),
})

const defineTable = tableDefiner<z.output<typeof claims>>()

const ordering = ['=', '!=', '<', '<=', '>', '>='] as const
const presence = ['is null', 'is not null'] as const
const numerical = {
  type: 'number',
  label: 'Number',
  operators: [...ordering, 'in', 'not in', 'between', 'not between', ...presence],
} as const
const textual = {
  type: 'text',
  label: 'Text',
  operators: ['=', '!=', 'like', 'not like', 'in', 'not in', 'starts with', 'ends with', ...presence],
} as const
const moment = {
  type: 'date',
  label: 'Date',
  operators: ['>=', '=', '!=', '<', '<=', '>', 'between', 'not between', 'within', ...presence],
} as const

/**
 * Everything that the tables of parcels have in common: each kind of column, filter, relation and computed source once.
 */
const common = {
  from: parcels,
  key: 'id',
  relations: {
    depot: {
      table: depots,
      on: { depot_id: 'id' },
      relations: { region: { table: regions, on: { region_id: 'id' } } },
    },
  },
  computed: {
    heavy: sql<boolean | null>`${parcels.weight} > 5`,
    bucket: sql<number | null>`${parcels.weight}::bigint + ${parcels.id} % 3`,
  },
  timeZone: 'America/New_York',
  maxPerPage: 1_000,
} as const

const columns = {
  id: { label: 'ID' },
  code: { label: 'Code', search: true },
  state: { label: 'State' },
  weight: { label: 'Weight' },
  big: { label: 'Big' },
  price: { label: 'Price' },
  score: { label: 'Score' },
  ratio: { label: 'Ratio' },
  kind: { label: 'Kind' },
  fragile: { label: 'Fragile' },
  shipped: { label: 'Shipped' },
  packed: { label: 'Packed' },
  seen: { label: 'Seen' },
  token: { label: 'Token' },
  note: { label: 'Note', search: true },
  depot__city: { label: 'City', search: true },
  depot__region__name: { label: 'Region', search: true },
  heavy: { label: 'Heavy', type: 'boolean' },
  bucket: { label: 'Bucket', type: 'number' },
} as const

/** Every column of the tables of parcels can be sorted by. */
export const parcelSortables = [
  'id',
  'code',
  'state',
  'weight',
  'big',
  'price',
  'score',
  'ratio',
  'kind',
  'fragile',
  'shipped',
  'packed',
  'seen',
  'token',
  'note',
  'depot__city',
  'depot__region__name',
  'heavy',
  'bucket',
] as const satisfies readonly (keyof typeof columns)[]

const filters = {
  code: textual,
  state: { type: 'multi_select', label: 'State', options: parcelStates, operators: ['in', 'not in'] },
  weight: numerical,
  big: numerical,
  price: numerical,
  score: numerical,
  ratio: numerical,
  bucket: numerical,
  kind: { type: 'select', label: 'Kind', options: parcelKinds, operators: ['=', '!=', 'in', 'not in'] },
  kind_text: { ...textual, source: 'kind' },
  fragile: { type: 'boolean', label: 'Fragile', operators: ['=', '!='] },
  heavy: { type: 'boolean', label: 'Heavy', operators: ['=', '!='] },
  shipped: moment,
  packed: moment,
  seen: moment,
  token: textual,
  note: textual,
  note_folded: { ...textual, source: 'note', fold: true },
  city_folded: { ...textual, source: 'depot__city', fold: true },
  kind_folded: { ...textual, source: 'kind', fold: true },
  note_choice: {
    type: 'select',
    label: 'Note',
    options: offeredNotes,
    source: 'note',
    operators: ['=', '!=', 'in', 'not in'],
  },
  depot__city: textual,
  depot__region__name: textual,
  bucket_choice: { type: 'multi_select', label: 'Bucket', options: ['0', '3', '11'], source: 'bucket' },
  has_weight: { type: 'null', label: 'Has weight', source: 'weight' },
  has_score: { type: 'null', label: 'Has weight', source: 'score' },
  has_city: { type: 'null', label: 'Has city', source: 'depot__city' },
} as const

const open = defineTable({ ...common, name: 'parcels', scope: everyRow, columns, sortables: parcelSortables, filters })

const capped = defineTable({
  ...common,
  name: 'capped_parcels',
  scope: everyRow,
  columns,
  sortables: parcelSortables,
  filters,
  count: { capped: 100 },
})

/** Analysts see their states' parcels of their tenant, supervisors all of their tenant, the disabled nothing at all. */
const scoped = defineTable({
  ...common,
  name: 'scoped_parcels',
  middlewares: [
    ({ identity }) => {
      if (identity.claims.role === 'disabled') throw forbidden()
    },
  ],
  scope: ({ identity: { claims } }) =>
    every(
      eq(parcels.tenant, claims.tenant),
      claims.role === 'supervisor' ? everyRow() : inArray(parcels.state, [...claims.states]),
    ),
  columns: { ...columns, tenant: { label: 'Tenant', loadIf: ({ identity }) => identity.claims.role === 'supervisor' } },
  sortables: [...parcelSortables, 'tenant'],
  filters: { ...filters, tenant: { ...textual, loadIf: ({ identity }) => identity.claims.role === 'supervisor' } },
  bindings: {
    note: ({ db, identity: { claims } }) =>
      db
        .selectDistinct({ value: parcels.code, label: parcels.code })
        .from(parcels)
        .where(and(eq(parcels.tenant, claims.tenant), inArray(parcels.state, [...claims.states])))
        .orderBy(asc(parcels.code))
        .limit(5),
    tenant: () => [{ value: 'secret-tenant', label: 'secret-tenant' }],
  },
  rowActions: { see: { bulk: true, run: ({ row }) => ({ seen: row.id }) } },
  bulkActions: {
    see_all: {
      run: ({ rows }) => ({ data: rows.map(({ id }) => id) }),
      conclude: ({ data }) => ({ data: { seen: data.flat() } }),
    },
    ids: { export: 'csv', deliver: 'file' },
  },
})

/** The tables of the property tests; see `parcel-rows.ts` for what they hold. */
export const parcelRegistry = createRegistry([open, capped, scoped], { claims })
