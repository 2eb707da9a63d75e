import { type Depot, depots, type Parcel, parcelKinds, regions } from '../parcels/parcel-rows.ts'

/** A value in a form in which `<` and `===` of JavaScript say what SQL should say; `null` is SQL's NULL. */
export type OracleValue = number | bigint | string | boolean | null

/** A filter as a request sends it, and which rows it keeps. */
export interface OracleFilter {
  readonly sent: { readonly field: string; readonly operator?: string; readonly value: unknown }
  readonly keeps: (parcel: Parcel) => boolean
}

const newYork = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

/** The clock time in the tables' zone, `YYYY-MM-DD HH:mm:ss.SSS`. */
export function createClock(instant: string | number): string {
  const parts = Object.fromEntries(newYork.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]))
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}.${parts['fractionalSecond']}`
}

const clocks = new Map<string, string>()

function rememberedClock(instant: string): string {
  const clock = clocks.get(instant) ?? createClock(instant)
  clocks.set(instant, clock)
  return clock
}

const findDepot = ({ depot_id }: Parcel): Depot | undefined => depots.find(({ id }) => id === depot_id)

const optional = <From, To>(value: From | null, convert: (value: From) => To): To | null =>
  value === null ? null : convert(value)

const readers = {
  id: ({ id }) => id,
  code: ({ code }) => code,
  state: ({ state }) => state,
  weight: ({ weight }) => weight,
  big: ({ big }) => optional(big, BigInt),
  price: ({ price }) => optional(price, Number),
  score: ({ score }) => optional(score, Number),
  ratio: ({ ratio }) => ratio,
  kind: ({ kind }) => optional(kind, (value) => parcelKinds.indexOf(value)),
  kind_text: ({ kind }) => kind,
  fragile: ({ fragile }) => fragile,
  shipped: ({ shipped }) => optional(shipped, (day) => `${day} 00:00:00.000`),
  packed: ({ packed }) => packed,
  seen: ({ seen }) => optional(seen, rememberedClock),
  token: ({ token }) => token,
  note: ({ note }) => note,
  depot__city: (parcel) => findDepot(parcel)?.city ?? null,
  depot__region__name: (parcel) => regions.find(({ id }) => id === findDepot(parcel)?.region_id)?.name ?? null,
  heavy: ({ weight }) => optional(weight, (value) => value > 5),
  bucket: ({ weight, id }) => optional(weight, (value) => value + (id % 3)),
} as const satisfies Readonly<Record<string, (parcel: Parcel) => OracleValue>>

export type OracleKey = keyof typeof readers

/** The value under a key of the tables of parcels. */
export const valueUnder = (key: OracleKey, parcel: Parcel): OracleValue => readers[key](parcel)

const isNaNumber = (value: OracleValue): boolean => typeof value === 'number' && Number.isNaN(value)

const bytesOfTexts = new Map<string, Buffer>()

function readBytes(text: string): Buffer {
  const bytes = bytesOfTexts.get(text) ?? Buffer.from(text)
  bytesOfTexts.set(text, bytes)
  return bytes
}

/**
 * Two values that are not NULL: texts by code point, and NaN equal to itself and above every number, as in Postgres.
 */
export function compareValues(left: OracleValue, right: OracleValue): number {
  if (left === right) return 0
  if (typeof left === 'string' && typeof right === 'string') return Buffer.compare(readBytes(left), readBytes(right))
  if (isNaNumber(left) || isNaNumber(right)) return Number(isNaNumber(left)) - Number(isNaNumber(right))
  if (left === null || right === null) throw new Error('NULL cannot be compared')
  return left < right ? -1 : left > right ? 1 : 0
}
