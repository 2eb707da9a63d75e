import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, tableDefiner } from '../../lib/index.ts'
import { explainRecorded } from '../support/parcels/explain-recorded.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'
import { depots, parcels } from '../support/parcels/parcel-table.ts'

const claims = z.object({})
const table = tableDefiner<z.output<typeof claims>>()({
  name: 'counted',
  from: parcels,
  key: 'id',
  scope: everyRow,
  relations: { depot: { table: depots, on: { depot_id: 'id' } } },
  columns: { id: { label: 'ID' } },
  filters: {
    price: { type: 'number', label: 'Price' },
    weight: { type: 'number', label: 'Weight' },
    packed: { type: 'date', label: 'Packed' },
    depot_id: { type: 'select', label: 'Depot', options: { search: true, label: 'depot__city' } },
  },
})

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry: createRegistry([table], { claims }) })
})

afterAll(() => service.stop())

async function explain(body: object): Promise<string> {
  service.statements()
  const { status, text } = await service.api.post('query-table/counted', body)
  expect(status, text).toBe(200)
  const [statement] = service.statements().filter((one) => /(count\(\*\)|n\))::text|n::text as n/.test(one.text))
  if (statement === undefined) throw new Error('nothing was counted')
  return explainRecorded(service, statement)
}

async function countDistinct(expression: string): Promise<number> {
  const [row] = await service.database.read(`select count(distinct ${expression})::int from parcels`, [])
  return Number(row?.[0])
}

/** The most rows that a node of this kind has read. */
const countRows = (plan: string, node: RegExp): number =>
  Math.max(
    ...[...plan.matchAll(new RegExp(`(?:${node.source}).*\\(actual rows=(\\d+)`, 'g'))].map(([, rows]) => Number(rows)),
  )

it.each([
  ['weight', 'weight', /CTE Scan on a /],
  ['packed_from', "date_trunc('day', packed)", /CTE Scan on r /],
])('the facet of %s puts values into ranges once they are counted, and not row by row', async (name, value, node) => {
  const rows = countRows(await explain({ facets: [name] }), node)
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThanOrEqual(await countDistinct(value))
})

it('the facet of a decimal groups no rows by its values, because nearly each may have its own', async () => {
  const plan = await explain({ facets: ['price'] })
  expect(plan).not.toContain('CTE Scan on a ')
  expect(countRows(plan, /CTE Scan on ranges/)).toBeLessThanOrEqual(20)
})

it('searched options join the label to each value, and not to each row', async () => {
  const rows = countRows(await explain({ options: { field: 'depot_id' } }), /Join|Nested Loop/)
  expect(rows).toBeGreaterThan(0)
  expect(rows).toBeLessThanOrEqual(await countDistinct('depot_id'))
})
