/** A parcel of the property tests as plain data: what the database holds, and what the oracle judges by. */
export interface Parcel {
  readonly id: number
  /** Unique. */
  readonly code: string
  readonly tenant: string
  readonly state: string | null
  readonly weight: number | null
  /** Digits of a number that a double cannot hold. */
  readonly big: string | null
  readonly price: string | null
  /** A number, or the text `NaN` or `Infinity`. */
  readonly score: number | string | null
  readonly ratio: number | null
  readonly kind: ParcelKind | null
  readonly fragile: boolean | null
  /** `YYYY-MM-DD` */
  readonly shipped: string | null
  /** `YYYY-MM-DD HH:mm:ss.SSS`, of no time zone. */
  readonly packed: string | null
  /** An instant, ISO. */
  readonly seen: string | null
  readonly token: string | null
  readonly note: string | null
  readonly depot_id: number | null
}

/** In the order of the database's enum. */
export const parcelKinds = ['small', 'medium', 'a large one', 'odd'] as const

export type ParcelKind = (typeof parcelKinds)[number]

export const parcelStates = ['Texas', 'Ohio', 'Utah'] as const

const tenants = ['north', 'south'] as const

export interface Depot {
  readonly id: number
  readonly city: string | null
  readonly region_id: number | null
}

export const regions: readonly { readonly id: number; readonly name: string }[] = [
  { id: 1, name: 'Coast' },
  { id: 2, name: 'coast' },
  { id: 3, name: 'Hills' },
]

/** Depot 9 is missing on purpose: some parcels point at it. */
export const depots: readonly Depot[] = [
  { id: 1, city: 'Austin', region_id: 1 },
  { id: 2, city: 'austin', region_id: 2 },
  { id: 3, city: null, region_id: 3 },
  { id: 4, city: 'Dayton', region_id: null },
  { id: 5, city: 'Åre', region_id: 3 },
]

/** Texts that mean something to LIKE, arrays, lists, HTML or SQL. */
export const notes = [
  '50% off',
  '50 off',
  'a_b',
  'aXb',
  'A_B',
  'back\\slash',
  'backslash',
  '\\',
  '%',
  '_',
  '{1,2}',
  '"quoted"',
  "o'clock",
  "'; drop table parcels; --",
  '$1',
  '<b>bold</b>',
  '',
  ' ',
  'all',
  'null',
  'شحنة هشة',
  '😀 box',
  'Box',
  'box',
  'a,b',
] as const

/** The notes that a filter may offer: "all" restricts nothing. */
export const offeredNotes = notes.filter((note) => note !== 'all')

/** Some pages are full when they are as large as they can be, and some begin where the way of reading them changes. */
export const parcelCount = 1_500

/** The same parcels in every process: many ties, many NULLs, and in each type the values that break comparisons. */
export function parcels(count = parcelCount): readonly Parcel[] {
  const random = seededRandom(20_260_131)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const orNull = <T>(value: T): T | null => (random() < 0.15 ? null : value)
  const day = (): string => `2026-${two(1 + Math.floor(random() * 12))}-${two(1 + Math.floor(random() * 28))}`
  return Array.from({ length: count }, (_, index) => ({
    id: (index * 7 + 3) % 100_003,
    code: `${pick(['P', 'p', 'é', '😀'])}-${index}`,
    tenant: pick([...tenants, 'north']),
    state: orNull(pick(parcelStates)),
    weight: orNull(pick([-2_147_483_648, -5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2_147_483_647])),
    big: orNull(
      pick(['9007199254740993', '9007199254740992', '-9223372036854775808', '9223372036854775807', '0', '7']),
    ),
    price: orNull(pick(['0.100', '0.300', '12.500', '12.501', '-3.000', '999999.999'])),
    score: orNull(pick([0.1, 0.3, -2.5, 0, 1e300, 'NaN', 'Infinity', '-Infinity'])),
    ratio: orNull(pick([0.1, 0.3, 1.5, -7])),
    kind: orNull(pick(parcelKinds)),
    fragile: orNull(random() < 0.5),
    shipped: orNull(day()),
    packed: orNull(`${day()} ${pick(clockTimes)}`),
    seen: orNull(`${day()}T${pick(utcTimes)}Z`),
    token: orNull(`0000000${Math.floor(random() * 10)}-aaaa-4bbb-8ccc-00000000000${pick(['a', 'f', '0'])}`),
    note: orNull(pick(notes)),
    depot_id: orNull(pick([1, 2, 3, 4, 5, 9])),
  }))
}

/** Including the first and the last moment of a day. */
const clockTimes = ['00:00:00.000', '23:59:59.999', '12:00:00.000', '08:30:15.250'] as const

/** In New York never between 01:00 and 03:00, where a clock time can stand for two instants or for none. */
const utcTimes = [
  '03:30:00.000',
  '04:00:00.000',
  '05:00:00.000',
  '04:59:59.999',
  '12:00:00.000',
  '23:15:30.500',
] as const

const two = (value: number): string => String(value).padStart(2, '0')

/** Mulberry32: small, and good enough to mix values. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
