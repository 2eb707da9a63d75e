import { cidr, customType, inet, integer, interval, macaddr, pgTable, time } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRegistry, everyRow, tableDefiner } from '../../../lib/index.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

const hosts = pgTable('hosts', {
  address: inet().primaryKey(),
  network: cidr(),
  card: macaddr(),
  opens: time(),
  closes: time({ withTimezone: true, precision: 3 }),
  pause: interval(),
  place: integer(),
  secret: bytes(),
})

const defineTable = tableDefiner<Record<string, unknown>>()
const keys = ['address', 'network', 'card', 'opens', 'closes', 'pause'] as const
const definition = {
  name: 'hosts',
  from: hosts,
  key: 'address',
  scope: everyRow,
  columns: Object.fromEntries(keys.map((key) => [key, { label: key }])),
  sortables: keys,
  filters: Object.fromEntries(
    keys.map((key) => [key, { type: 'text', label: key, operators: ['=', 'like', 'in', '!='] } as const]),
  ),
  advancedFilters: { has_pause: { type: 'null', label: 'Pause', source: 'pause' } },
} as const

const registry = createRegistry([
  defineTable({ ...definition, defaultSort: ['address', 'asc'] } as Parameters<typeof defineTable>[0]),
])

const rows = [
  ['10.0.0.10', '10.0.0.0/24', '08:00:2b:01:02:03', '08:30:00', '17:00:00.5+02', '2 days'],
  ['10.0.0.2', null, null, '09:00:00', null, '10:00:00'],
]

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry })
  const owner = postgres(service.url, { max: 1 })
  await owner`create table hosts (address inet primary key, network cidr, card macaddr, opens time, closes timetz(3),
    pause interval, place int, secret bytea)`
  for (const [address = '', network = null, card = null, opens = null, closes = null, pause = null] of rows) {
    await owner`insert into hosts values (${address}, ${network}, ${card}, ${opens}, ${closes}, ${pause})`
  }
  await owner.end()
})
afterAll(() => service.stop())

const query = async (body: object) => {
  const { json, text } = await service.api.post('query-table/hosts', body)
  expect(json.success, text).toBe(true)
  return json
}

const addresses = async (body: object) => (await query(body)).items.map(({ id }: { id: string }) => id)

it('shows times, intervals and network addresses as the text that Postgres writes', async () => {
  const { items } = await query({ sorts: [{ field: 'address', direction: 'asc' }] })
  expect(items.map((item: Record<string, unknown>) => keys.map((key) => item[key]))).toEqual(rows.toReversed())
})

it.each([
  ['address', ['10.0.0.2', '10.0.0.10']],
  ['opens', ['10.0.0.10', '10.0.0.2']],
  ['pause', ['10.0.0.2', '10.0.0.10']],
])('sorts %s by its value, not by its text, also from a cursor on', async (field, expected) => {
  const sorts = [{ field, direction: 'asc' }]
  const first = await query({ sorts, perPage: 1 })
  const second = await query({ sorts, perPage: 1, cursor: first.pagination.next_cursor })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(expected)
})

it.each([
  ['opens', '=', '08:30:00', ['10.0.0.10']],
  ['opens', '=', 'no time', []],
  ['opens', '!=', '08:30:00', ['10.0.0.2']],
  ['address', 'like', '0.2', ['10.0.0.2']],
  ['address', 'in', ['10.0.0.10', 'no address'], ['10.0.0.10']],
  ['pause', 'like', 'DAY', ['10.0.0.10']],
])('filters %s %s %j as text', async (field, operator, value, expected) => {
  expect(await addresses({ filters: [{ field, operator, value }] })).toEqual(expected)
})

it('finds a row by a key of such a type', async () => {
  const { json } = await service.api.post('multi-row-refetch/hosts', {
    row_ids: ['10.0.0.10', 'no address', '10.0.0.2'],
  })
  expect(json).toMatchObject({ items: [{ id: '10.0.0.10' }, { id: '10.0.0.2' }], missing: ['no address'] })
  expect((await service.api.post('row-refetch/hosts/10.0.0.2')).json.data.row.opens).toBe('09:00:00')
})

it('exports such values as text', async () => {
  const { json } = await service.api.post('bulk-table-action/hosts/export_excel', { dry_run: true })
  expect(json).toMatchObject({ success: true })
})

it.each(['bytea', 'realm', 'charity', 'numeric_code', 'text_code', 'timestamp_utc'])(
  'names the type of a column that it cannot show, also of one that begins like another type: %s',
  (type) => {
    const from = pgTable('hosts', { address: inet().primaryKey(), secret: customType({ dataType: () => type })() })
    const columns = { secret: { label: 'Secret' } }
    const changed = { ...definition, from, columns, sortables: [], filters: {}, advancedFilters: {} }
    const declare = () => createRegistry([defineTable(changed as Parameters<typeof defineTable>[0])])
    expect(declare).toThrow(`the column "secret" cannot show ${type} values; name a computed source`)
  },
)
