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

/** Returns the function with its results kept: thousands of rows have few values, and hundreds of queries read them. */
export function remember<From, To>(convert: (value: From) => To): (value: From) => To {
  const known = new Map<From, To>()
  return (value) => {
    const found = known.get(value)
    if (found !== undefined) return found
    const made = convert(value)
    known.set(value, made)
    return made
  }
}

const findDepot = remember((sought: number | null): Depot | undefined => depots.find(({ id }) => id === sought))
const findRegion = remember((depot: number | null) => regions.find(({ id }) => id === findDepot(depot)?.region_id))
const toBigInt = remember((digits: string) => BigInt(digits))
const toMidnight = remember((day: string) => `${day} 00:00:00.000`)
const toClock = remember((instant: string) => createClock(instant))

const optional = <From, To>(value: From | null, convert: (value: From) => To): To | null =>
  value === null ? null : convert(value)

const readers = {
  id: ({ id }) => id,
  code: ({ code }) => code,
  state: ({ state }) => state,
  weight: ({ weight }) => weight,
  big: ({ big }) => optional(big, toBigInt),
  price: ({ price }) => optional(price, Number),
  score: ({ score }) => optional(score, Number),
  ratio: ({ ratio }) => ratio,
  kind: ({ kind }) => optional(kind, (value) => parcelKinds.indexOf(value)),
  kind_text: ({ kind }) => kind,
  fragile: ({ fragile }) => fragile,
  shipped: ({ shipped }) => optional(shipped, toMidnight),
  packed: ({ packed }) => packed,
  seen: ({ seen }) => optional(seen, toClock),
  token: ({ token }) => token,
  note: ({ note }) => note,
  depot__city: ({ depot_id }) => findDepot(depot_id)?.city ?? null,
  depot__region__name: ({ depot_id }) => findRegion(depot_id)?.name ?? null,
  heavy: ({ weight }) => optional(weight, (value) => value > 5),
  bucket: ({ weight, id }) => optional(weight, (value) => value + (id % 3)),
} as const satisfies Readonly<Record<string, (parcel: Parcel) => OracleValue>>

export type OracleKey = keyof typeof readers

/** The value under a key of the tables of parcels. */
export const valueUnder = (key: OracleKey, parcel: Parcel): OracleValue => readers[key](parcel)

const isNaNumber = (value: OracleValue): boolean => typeof value === 'number' && Number.isNaN(value)

/** Returns the bytes of a text, a letter for each, which `<` compares as Postgres does. */
const readBytes = remember((text: string) => Buffer.from(text).toString('latin1'))

/**
 * Two values that are not NULL: texts by code point, and NaN equal to itself and above every number, as in Postgres.
 */
export function compareValues(left: OracleValue, right: OracleValue): number {
  if (left === right) return 0
  if (typeof left === 'string' && typeof right === 'string') return readBytes(left) < readBytes(right) ? -1 : 1
  if (isNaNumber(left) || isNaNumber(right)) return Number(isNaNumber(left)) - Number(isNaNumber(right))
  if (left === null || right === null) throw new Error('NULL cannot be compared')
  return left < right ? -1 : left > right ? 1 : 0
}
