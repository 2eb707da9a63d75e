import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRegistry, everyRow, type Option, tableDefiner } from '../../../lib/index.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'
import { parcels } from '../../support/parcels/parcel-table.ts'

const options: readonly Option[] = Array.from({ length: 1_200 }, (_, index) => ({
  value: `P-${index}`,
  label: `Parcel ${index}`,
}))

const registry = createRegistry([
  tableDefiner<Record<string, unknown>>()({
    name: 'parcels',
    from: parcels,
    key: 'id',
    scope: everyRow,
    columns: { code: { label: 'Code' } },
    filters: { code: { type: 'select', label: 'Code', options: 'bindings' } },
    advancedFilters: { weight: { type: 'number', label: 'Weight' } },
    bindings: { code: ({ filters }) => (filters['weight'] === undefined ? options : options.slice(0, 1)) },
  }),
])

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry })
})
afterAll(() => service.stop())

it.each(['', '/true'])(
  'puts the first 1,000 options of an unfiltered request into the structure, in their order (%s)',
  async (withData) => {
    const { json } = await service.api.get(`load-table/parcels${withData}`)
    const { props } = json.filters.find(({ filter_name }: { filter_name: string }) => filter_name === 'code')
    expect(props.options).toEqual([{ value: 'all', label: 'All' }, ...options.slice(0, 1_000)])
    expect(Object.keys(props.select_options)).toHaveLength(1_001)
    if (withData !== '') expect(json.bindings.code).toHaveLength(1_200)
  },
)

it('sends the whole list, as the filters leave it, with the rows', async () => {
  const bindings = async (filters: object) =>
    (await service.api.post('query-table/parcels', { filters })).json.bindings.code
  expect(await bindings({})).toEqual(options)
  expect(await bindings({ weight: { operator: '>=', value: 1 } })).toEqual(options.slice(0, 1))
})
