import type { InferInsertModel, InferSelectModel } from 'drizzle-orm'
import type { devices, documents, ledger, products, samples, visits } from './fixture-schema.ts'

export type Product = InferSelectModel<typeof products>

export const countryRows = [
  { code: 'FR', name: 'France' },
  { code: 'SA', name: 'السعودية' },
  { code: 'EG', name: 'مصر' },
]

export const supplierRows = [
  { id: 1, name: 'Acme', country: 'FR' },
  { id: 2, name: 'مؤسسة النور', country: 'SA' },
  { id: 3, name: 'Nowhere Ltd', country: null },
  { id: 4, name: 'Acme Orient', country: 'EG' },
]

const code = (digit: string): string =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`

type ProductLine = readonly [
  id: number,
  tenant: string,
  name: string,
  category: Product['category'],
  price: string | null,
  stock: number | null,
  weight: number | null,
  active: boolean | null,
  supplier: number | null,
  madeOn: string | null,
  soldAt: string | null,
  note: string | null,
  tags: string[] | null,
  code: string | null,
]

// biome-ignore format: a table of rows reads best as one line for each
const productLines: readonly ProductLine[] = [
  [1, 'north', 'Hammer', 'tool', '12.5000', 5, 1.5, true, 1, '2026-01-01', '2026-01-01T00:00:00Z', 'steel', ['red', 'hard'], code('a')],
  [2, 'north', 'hammer', 'tool', '12.5000', 5, 0.1, false, 1, '2026-01-02', '2026-01-01T23:59:59.999Z', '50% off', ['red'], code('b')],
  [3, 'north', 'Apple', 'food', '0.1000', 100, 0.2, true, 2, '2026-01-03', '2026-01-02T00:00:00Z', null, [], code('c')],
  [4, 'north', 'تفاح', 'food', '0.3000', 100, null, true, 2, '2026-01-03', '2026-01-03T12:30:00Z', 'حلو_لذيذ', ['أحمر'], code('d')],
  [5, 'north', 'Ball', 'toy', null, 0, 0.3, false, 3, null, null, 'back\\slash', null, code('e')],
  [6, 'north', 'Kite', 'toy', '99.9900', -3, null, null, 4, '2026-01-31', '2026-01-31T23:59:59Z', 'a_b', ['blue'], null],
  [7, 'north', 'Ghost', null, null, null, null, null, null, null, null, null, null, null],
  [8, 'north', 'Saw', 'tool', '20.0000', 7, 2.5, true, 1, '2026-02-01', '2026-02-01T00:00:00Z', "it's", ['sharp'], code('f')],
  [9, 'north', 'Pear', 'food', '0.1000', 50, 0.2, false, 4, '2026-02-28', '2026-02-28T08:00:00Z', 'axb', ['green'], code('1')],
  [10, 'north', 'Drum', 'toy', '45.0000', 2, 3, true, 3, '2024-02-29', '2024-02-29T10:00:00Z', '"quoted"', ['loud', 'red'], code('2')],
  [11, 'north', 'مطرقة', 'tool', '12.5000', 5, 1.5, true, 2, '2026-01-01', '2026-01-01T00:00:00Z', 'فولاذ', null, code('3')],
  [12, 'north', 'Zebra', 'toy', '1000.0001', 1, 10, false, null, '2025-12-31', '2025-12-31T23:59:59.999999Z', null, ['black'], code('4')],
  [13, 'north', 'Nail', 'tool', '0.0100', 2147483647, 0.001, true, 1, '2026-01-15', '2026-01-15T12:00:00Z', '', ['small'], code('5')],
  [14, 'north', 'Rope', 'tool', '7.0000', 12, 4, null, 4, '2026-01-16', '2026-01-16T12:00:00Z', 'long', null, null],
  [15, 'north', 'Milk', 'food', '1.2000', 30, 1, true, 2, '2026-03-01', '2026-03-01T06:00:00Z', null, ['white'], code('6')],
  [16, 'north', 'Bread', 'food', '2.0000', 30, 0.5, true, 2, '2026-03-01', '2026-03-01T06:00:00Z', null, null, code('7')],
  [17, 'north', 'Robot', 'toy', '250.0000', 3, 5, true, 3, '2026-03-02', '2026-03-02T06:00:00Z', null, null, code('8')],
  [18, 'north', 'Glue', 'tool', '3.0000', null, 0.05, false, 1, '2026-03-03', '2026-03-03T06:00:00Z', null, null, code('9')],
  [19, 'north', 'Salt', 'food', '0.5000', 60, 1, true, 4, '2026-03-04', '2026-03-04T06:00:00Z', null, null, null],
  [20, 'north', 'Yoyo', 'toy', '4.0000', 8, 0.1, true, 3, '2026-03-05', '2026-03-05T06:00:00Z', null, null, null],
  [21, 'north', 'Axe', 'tool', '30.0000', 4, 2, true, 1, '2026-03-06', '2026-03-06T06:00:00Z', null, null, null],
  [22, 'north', 'Corn', 'food', '0.7000', 90, 0.3, true, 4, '2026-03-07', '2026-03-07T06:00:00Z', null, null, null],
  [23, 'south', 'Secret hammer', 'tool', '12.5000', 5, 1.5, true, 1, '2026-01-01', '2026-01-01T00:00:00Z', 'steel', ['red'], null],
  [24, 'south', 'Secret apple', 'food', '0.1000', 100, 0.2, true, 2, '2026-01-03', '2026-01-03T00:00:00Z', null, null, null],
]

export const productRows: readonly Product[] = productLines.map(
  ([id, tenant, name, category, price, stock, weight, active, supplier_id, made_on, sold_at, note, tags, unit]) => ({
    ...{ id, tenant, name, category, price, stock, weight, active, supplier_id, made_on, sold_at, note, tags },
    code: unit,
  }),
)

/** The rows in the scope of the default caller, in the order of the key. */
export const northRows = productRows.filter(({ tenant }) => tenant === 'north')

export const ledgerRows: readonly InferInsertModel<typeof ledger>[] = [
  { id: -9007199254740995n, amount: '-0.000000000000000000001', units: null },
  { id: 7n, amount: '12345678901234567890.123', units: 7n },
  { id: 9007199254740993n, amount: '0.1', units: 9007199254740993n },
  { id: 9007199254740994n, amount: null, units: 9007199254740992n },
  { id: 9223372036854775807n, amount: '900719925474099.5', units: 9223372036854775807n },
]

// biome-ignore format: every one of these matters, none needs a line of its own
const paths = [
  '.', '..', '', 'a', 'a+b', 'a/b', 'a?b', 'a#b', 'a%b', 'a%2Fb', 'a b', 'a\\b', '~a', '~', "it's \"it\"", 'عربي', 'عربي/فرع',
  'line\nbreak', '😀', '__proto__', 'a;b', 'a&b=c', 'a,b',
]

export const documentRows: readonly InferInsertModel<typeof documents>[] = paths.map((path) => ({
  path,
  title: `Title of ${path}`,
}))

export const deviceRows: readonly InferInsertModel<typeof devices>[] = [
  { serial: 'a81bc81b-dead-4e5d-abff-90865d1e13b1', label: 'first' },
  { serial: 'b81bc81b-dead-4e5d-abff-90865d1e13b1', label: null },
]

/** In Riyadh, three hours ahead of UTC, row 2 is already in February and row 4 already in March. */
export const visitRows: readonly InferInsertModel<typeof visits>[] = [
  { id: 1, at: '2026-01-31T20:59:59.999Z', clock: '2026-01-31 23:59:59.999', day: '2026-01-31' },
  { id: 2, at: '2026-01-31T21:00:00Z', clock: '2026-02-01 00:00:00', day: '2026-02-01' },
  { id: 3, at: '2026-02-28T20:59:59.999999Z', clock: '2026-02-28 23:59:59.999999', day: '2026-02-28' },
  { id: 4, at: '2026-02-28T21:00:00Z', clock: '2026-03-01 00:00:00', day: '2026-03-01' },
  { id: 5, at: null, clock: null, day: null },
]

export const sampleRows: readonly InferInsertModel<typeof samples>[] = [
  {
    id: 1,
    short: 'open',
    markup: '<b onclick="steal()">bold</b><script>steal()</script><a href="javascript:steal()">link</a>',
    exact: '0.10',
    real: 0.1,
    big: 9007199254740993n,
    flag: true,
    day: '2026-01-31',
    at: '2026-01-31T21:30:05Z',
    words: ['one', 'with "quotes"', 'عربي'],
    counts: [1n, null, 9007199254740993n] as bigint[],
    picture: 'https://pictures.example.test/1.png',
    address: 'https://example.test/a?b=c',
    details: { color: 'red' },
    unit: 'a81bc81b-dead-4e5d-abff-90865d1e13b1',
  },
  { id: 2 },
  {
    id: 3,
    short: '',
    markup: '',
    exact: '12345678901234567890.5',
    real: Number.POSITIVE_INFINITY,
    big: 5n,
    flag: false,
    words: [],
    picture: '',
    address: '',
  },
]
