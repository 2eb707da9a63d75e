import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow, type Table, tableDefiner } from '../../../lib/index.ts'
import { parcelKinds } from '../../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'
import { parcels } from '../../support/parcels/parcel-table.ts'

const defineTable = tableDefiner<Record<string, unknown>>()

const base = { from: parcels, key: 'id', scope: everyRow } as const
const computed = { heavy: sql<boolean>`${parcels.weight} > 5`, half: sql<number>`${parcels.weight} / 2` }

const code = { en: 'Code', ar: 'الرمز' }
const state = { en: 'State', ar: 'الحالة' }
const kind = { en: 'Kind', ar: 'النوع' }
const weight = { en: 'Weight', ar: 'الوزن' }
const fragile = { en: 'Fragile', ar: 'قابل للكسر' }
const shipped = { en: 'Shipped', ar: 'تاريخ الشحن' }
const heavy = { en: 'Heavy', ar: 'ثقيل' }
const half = { en: 'Half', ar: 'النصف' }
const packed = { en: 'Packed', ar: 'وقت التغليف' }
const open = { en: 'Open', ar: 'مفتوح' }
const sent = { en: 'Sent', ar: 'مُرسَل' }
const isFragile = { en: 'Careful', ar: 'بحذر' }
const isSolid = { en: 'Solid', ar: 'متين' }
const depots = { main: { en: 'Main', ar: 'الرئيسي' } }

const shortForm = defineTable({
  ...base,
  name: 'short',
  computed,
  columns: {
    code: { label: code, sortable: true },
    state: { label: state, sortable: true, values: { open: { label: open, style: 'warning' }, sent } },
    kind: { label: kind },
    weight: { label: weight },
    fragile: { label: fragile, type: 'boolean', values: { true: isFragile, false: isSolid } },
    shipped: { label: shipped },
    packed: { label: packed },
    heavy: { label: heavy, type: 'boolean' },
    half: { label: half, type: 'number', sortable: true },
  },
  sortables: ['weight'],
  filters: {
    code: {},
    state: {},
    kind: {},
    weight: { operators: ['between', '='] },
    fragile: {},
    shipped: { min: '2026-01-01' },
    heavy: { selected: true },
  },
  advancedFilters: {
    half: {},
    packed: { label: 'When', type: 'null' },
    states: { label: state, type: 'multi_select', source: 'state', options: { open, sent } },
    note: { label: 'Note', type: 'text' },
    depot_id: { label: 'Depot', type: 'select', options: depots },
  },
})

const longForm = defineTable({
  ...base,
  name: 'long',
  computed,
  columns: {
    code: { label: code },
    state: { label: state, type: 'text', values: { open: { label: open, style: 'warning' }, sent: { label: sent } } },
    kind: { label: kind },
    weight: { label: weight },
    fragile: { label: fragile, type: 'boolean', values: { true: isFragile, false: isSolid } },
    shipped: { label: shipped },
    packed: { label: packed },
    heavy: { label: heavy, type: 'boolean' },
    half: { label: half, type: 'number' },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  sortables: ['weight', 'code', 'state', 'half'],
  filters: {
    code: { label: code, type: 'text' },
    state: { label: state, type: 'select', options: { open, sent } },
    kind: { label: kind, type: 'select', options: parcelKinds },
    weight: { label: weight, type: 'number', operators: ['between', '='] },
    fragile: { label: fragile, type: 'boolean', labels: { true: isFragile, false: isSolid } },
    shipped: { label: shipped, type: 'date', min: '2026-01-01' },
    heavy: { label: heavy, type: 'boolean', selected: true },
  },
  advancedFilters: {
    half: { label: half, type: 'number' },
    packed: { label: 'When', type: 'null' },
    states: { label: state, type: 'multi_select', source: 'state', options: { open, sent } },
    note: { label: 'Note', type: 'text' },
    depot_id: { label: 'Depot', type: 'select', options: depots },
  },
})

const unadorned = defineTable({ ...base, name: 'unadorned', columns: { code: { label: code } }, actionsColumn: false })

const withoutActions = defineTable({
  ...base,
  name: 'without_actions',
  columns: { code: { label: code } },
  defaultActions: { show_details: false },
})

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({
    registry: createRegistry([shortForm, longForm, unadorned, withoutActions]),
  })
})
afterAll(() => service.stop())

/** The response for one of the two tables, with the name of the table and its spelling as a label taken out. */
async function anonymous(path: (name: string) => string, name: 'short' | 'long', ln: string): Promise<unknown> {
  const { text } = await service.api.get(path(name), { headers: { ln } })
  return JSON.parse(text.replaceAll(new RegExp(`\\b${name}\\b`, 'gi'), 'table'), (key, value) =>
    key === 'next_cursor' ? typeof value : value,
  )
}

describe('the short form of a table', () => {
  it.each(['en', 'ar'])('gives the structure and the rows of the long form (%s)', async (ln) => {
    const path = (name: string) => `load-table/${name}/true`
    const long = await anonymous(path, 'long', ln)
    expect(await anonymous(path, 'short', ln)).toEqual(long)
    expect(long).toMatchObject({ sortables: ['weight', 'code', 'state', 'half'] })
  })

  it.each([
    ['short', ['Code', 'State', 'Kind', 'Weight', 'Fragile', 'Shipped', 'Packed', 'Heavy', 'Half', 'Actions']],
    ['unadorned', ['Code']],
    ['without_actions', ['Code']],
  ])('ends with the column of the actions where rows have any and the author wants one (%s)', async (name, labels) => {
    const { json } = await service.api.get(`load-table/${name}`)
    expect(json.columns.map(({ label }: { readonly label: string }) => label)).toEqual(labels)
  })
})

const mistakes: readonly (readonly [string, () => Table<Record<string, unknown>>, RegExp])[] = [
  [
    'an option that does not belong to the inherited type',
    () =>
      defineTable({ ...base, name: 'p', columns: { weight: { label: weight } }, filters: { weight: { min: '1' } } }),
    /the filter "weight" is one of type number, which has no min/,
  ],
  [
    'a select whose column names no values',
    () =>
      defineTable({ ...base, name: 'p', columns: { code: { label: code } }, filters: { code: { type: 'select' } } }),
    /the filter "code" has no options: name them as its "options", or as the "values" of its column/,
  ],
  [
    'a filter whose column has a format instead of a type',
    () =>
      defineTable({
        ...base,
        name: 'p',
        computed,
        columns: { heavy: { label: heavy, type: 'datalist' } },
        filters: { heavy: {} },
      }),
    /the filter "heavy" needs a type, because it has no column to take one from/,
  ],
]

it.each(mistakes)('refuses a short form with %s when the service starts', (_, define, fault) => {
  expect(() => createRegistry([define()])).toThrow(fault)
})
