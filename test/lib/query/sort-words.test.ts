import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow, tableDefiner } from '../../../lib/index.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'

const turns = pgTable('turns', { id: integer().primaryKey(), label: text(), direction: text() })

const defineTable = tableDefiner<Record<string, unknown>>()
const common = {
  from: turns,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'ID' }, label: { label: 'Label' }, direction: { label: 'Direction' } },
} as const

const registry = createRegistry([
  defineTable({ ...common, name: 'turns', sortables: ['id', 'label', 'direction'] }),
  defineTable({ ...common, name: 'unsorted', sortables: ['id'] }),
])

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry })
  const owner = postgres(service.url, { max: 1 })
  await owner`create table turns (id int primary key, label text, direction text)`
  await owner`insert into turns values (1, 'b', 'north'), (2, 'c', 'east'), (3, 'a', 'west')`
  await owner.end()
})
afterAll(() => service.stop())

const query = async (table: string, sorts: object) => (await service.api.post(`query-table/${table}`, { sorts })).json
const listIds = (json: { items: readonly { id: number }[] }) => json.items.map(({ id }) => id)

describe('a column called label or direction', () => {
  it.each([
    [{ label: 'asc', direction: 'asc' }, [3, 1, 2]],
    [{ label: 'desc', direction: 'desc' }, [2, 1, 3]],
    [{ label: 'desc' }, [2, 1, 3]],
    [{ label: 'Direction', direction: 'asc' }, [2, 1, 3]],
    [{ direction: 'desc' }, [3, 1, 2]],
  ])('is the field of a sort without any other key: %j', async (sorts, expected) => {
    expect(listIds(await query('turns', sorts))).toEqual(expected)
  })

  it.each([
    [{ label: 'ID', direction: 'desc', id: 'desc' }, [3, 2, 1]],
    [{ label: 'asc', direction: 'desc', id: 'desc' }, [3, 2, 1]],
    [{ label: 'ID' }, [1, 2, 3]],
  ])('is no field where another key is, or where its value is no direction: %j', async (sorts, expected) => {
    expect(listIds(await query('turns', sorts))).toEqual(expected)
  })

  it('is not read as a field in a table that cannot sort by it', async () => {
    const json = await query('unsorted', { label: 'asc', direction: 'desc' })
    expect([listIds(json), json.warnings]).toEqual([[1, 2, 3], undefined])
  })
})
