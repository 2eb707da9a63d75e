import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { type Parcel, parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

const thousandths = (digits: string): bigint => {
  const [whole = '', fraction = ''] = digits.split('.')
  const magnitude = BigInt(whole.replace('-', '') + fraction.padEnd(3, '0'))
  return digits.startsWith('-') ? -magnitude : magnitude
}

const decimalText = (value: bigint): string => {
  const digits = String(value < 0n ? -value : value).padStart(4, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

const present = <T>(rows: readonly Parcel[], read: (row: Parcel) => T | null): readonly T[] =>
  rows.map(read).filter((value) => value !== null)

const byMagnitude = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0)

/** The expected totals, by exact arithmetic on the rows of the oracle. */
function expectedTotals(rows: readonly Parcel[]) {
  const prices = present(rows, ({ price }) => price)
    .map(thousandths)
    .toSorted(byMagnitude)
  const weights = present(rows, ({ weight }) => weight).toSorted((left, right) => left - right)
  const days = present(rows, ({ shipped }) => shipped).toSorted()
  const [low, high] = [weights[Math.ceil(weights.length / 2) - 1], weights[Math.floor(weights.length / 2)]]
  return {
    'price sum': prices.length === 0 ? null : decimalText(prices.reduce((sum, price) => sum + price, 0n)),
    'price min': prices.length === 0 ? null : decimalText(prices[0] ?? 0n),
    'price count_distinct': new Set(prices).size,
    'weight sum': weights.length === 0 ? null : weights.reduce((sum, weight) => sum + weight, 0),
    'weight median': low === undefined || high === undefined ? null : (low + high) / 2,
    'weight count': weights.length,
    'weight count_empty': rows.length - weights.length,
    'score count': rows.filter(({ score }) => typeof score === 'number').length,
    'shipped min': days[0] ?? null,
    'shipped max': days.at(-1) ?? null,
    'note count_distinct': new Set(present(rows, ({ note }) => note)).size,
  }
}

it('agree with exact arithmetic on the rows that a caller’s query selects, whatever it asks for', async () => {
  const all = parcels()
  await fc.assert(
    fc.asyncProperty(oracleQuery, anyCaller, async (query, caller) => {
      const expected = expectedTotals(expectedRows(query, all.filter(caller.sees)))
      const aggregates = Object.keys(expected).map((name) => {
        const [field, fn] = name.split(' ')
        return { field, fn }
      })
      const body = { ...readBody(query), perPage: 1, aggregates }
      const { json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
      const totals = aggregates.map(({ field, fn }) => json.aggregates?.[`${field}`]?.[`${fn}`]?.value ?? null)
      const plain = totals.map((value, index) =>
        aggregates[index]?.field === 'price' && aggregates[index]?.fn !== 'count_distinct' && value !== null
          ? decimalText(thousandths(String(value)))
          : value,
      )
      expect(plain, `${JSON.stringify(body)} ${text}`).toEqual(Object.values(expected))
    }),
    { numRuns: 150 },
  )
})
