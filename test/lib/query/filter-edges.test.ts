import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parcels } from '../../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})

afterAll(() => service.stop())

const all = parcels()

const countWhere = (keeps: (parcel: (typeof all)[number]) => boolean): number => all.filter(keeps).length

async function total(field: string, operator: string, value: unknown): Promise<number> {
  const { status, text, json } = await service.api.post('query-table/parcels', {
    filters: [{ field, operator, value }],
  })
  expect(status, text).toBe(200)
  return json.pagination.total
}

it.each([
  ['among other options', ['all', 'Ohio']],
  ['alone in a list', ['all']],
  ['alone', 'all'],
  ['in a text with commas', 'Texas, all'],
])('a multi_select restricts nothing where "all" is chosen %s', async (_, value) => {
  expect(await total('state', 'in', value)).toBe(all.length)
})

it.each([
  ['=', '0.1', countWhere(({ ratio }) => ratio === 0.1)],
  ['in', [0.1, 0.3], countWhere(({ ratio }) => ratio === 0.1 || ratio === 0.3)],
  ['>', 0.1, countWhere(({ ratio }) => ratio !== null && ratio > 0.1)],
  ['<=', 0.3, countWhere(({ ratio }) => ratio !== null && ratio <= 0.3)],
])(
  'a number of four bytes is %s %j as clients see it, not as eight bytes hold it',
  async (operator, value, expected) => {
    expect(await total('ratio', operator, value)).toBe(expected)
  },
)

const hasScore = (score: unknown) => score !== null && Number.isFinite(Number(score))

it.each([
  ['>=', 0, (score: number) => score >= 0],
  ['>', '-1e300', (score: number) => score > -1e300],
  ['<=', 0, (score: number) => score <= 0],
  ['<', 1e300, (score: number) => score < 1e300],
  ['between', [-3, '1e308'], (score: number) => score >= -3 && score <= 1e308],
] as const)(
  'a number that is not finite is missing, so that %s %j does not find it',
  async (operator, value, keeps) => {
    expect(countWhere(({ score }) => score === 'NaN' || score === 'Infinity' || score === '-Infinity')).toBeGreaterThan(
      0,
    )
    const expected = countWhere(({ score }) => hasScore(score) && keeps(Number(score)))
    expect(await total('score', operator, value)).toBe(expected)
  },
)

it.each([
  ['set', (score: unknown) => hasScore(score)],
  ['not_set', (score: unknown) => !hasScore(score)],
] as const)('a number that is not finite is missing for the value "%s" of a null filter', async (value, keeps) => {
  expect(await total('has_score', '=', value)).toBe(countWhere(({ score }) => keeps(score)))
})

it.each([
  ['=', '9007199254740992.5', () => false],
  ['=', '9007199254740993.0', (big: bigint) => big === 9_007_199_254_740_993n],
  ['>', '9007199254740992.5', (big: bigint) => big > 9_007_199_254_740_992n],
  ['<', '-9223372036854775807.5', (big: bigint) => big < -9_223_372_036_854_775_807n],
  ['>=', '0.99999999999999999999', (big: bigint) => big >= 1n],
  ['=', '0.99999999999999999999', () => false],
  ['=', '0.7e1', (big: bigint) => big === 7n],
  ['<=', '1e300', () => true],
  ['>', '1e-300', (big: bigint) => big > 0n],
] as const)('an integer is compared with all digits of a decimal: %s %s', async (operator, value, keeps) => {
  expect(await total('big', operator, value)).toBe(countWhere(({ big }) => big !== null && keeps(BigInt(big))))
})

it.each(['1e-999', '-1e-999'])('a number too small for the database (%s) is nothing, not a fault', async (value) => {
  expect(await total('score', '=', value)).toBe(countWhere(({ score }) => score === 0))
})

it('"like" finds a letter beyond ASCII in either case', async () => {
  const expected = countWhere(({ code }) => code.startsWith('é-'))
  expect(expected).toBeGreaterThan(0)
  expect(await total('code', 'like', 'É-')).toBe(expected)
})

it('trigrams of Arabic words are not empty', async () => {
  const owner = postgres(service.url, { max: 1, onnotice: () => {} })
  await owner`create extension if not exists pg_trgm`
  const [row] = await owner`select cardinality(show_trgm('كتاب')) as trigrams`
  await owner.end()
  expect(row?.['trigrams']).toBe(5)
})

it('a UUID is found in capitals also beside values that are no UUID', async () => {
  const [token] = all.flatMap((parcel) => parcel.token ?? [])
  const expected = countWhere((parcel) => parcel.token === token)
  expect(await total('token', 'in', [token?.toUpperCase(), 'no UUID'])).toBe(expected)
  expect(await total('token', 'not in', [token?.toUpperCase(), 'no UUID'])).toBe(all.length - expected)
})

it('values that an enum does not have match nothing, and leave those that it has', async () => {
  const expected = countWhere(({ kind }) => kind === 'odd')
  expect(await total('kind_text', 'in', ['odd', 'even'])).toBe(expected)
  expect(await total('kind_text', '=', 'even')).toBe(0)
  expect(await total('kind_text', 'not in', ['even'])).toBe(all.length)
})

it('a missing text does not hold what is looked for', async () => {
  const expected = countWhere(({ note }) => note?.toLowerCase().includes('a') !== true)
  expect(countWhere(({ note }) => note === null)).toBeGreaterThan(0)
  expect(await total('note', 'not like', 'a')).toBe(expected)
})
