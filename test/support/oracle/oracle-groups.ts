import fc from 'fast-check'
import type { Parcel } from '../parcels/parcel-rows.ts'
import { compareValues, type OracleKey, type OracleValue, valueUnder } from './oracle-values.ts'

/**
 * A key of `group_by` as it is sent, and the value of a parcel under it: as the response writes it, and by which it is
 * ordered.
 */
export interface OracleKeyBy {
  readonly sent: { readonly field: string; readonly bucket?: string | { readonly width: number } }
  readonly read: (parcel: Parcel, timeZone: string) => KeyValue
}

interface KeyValue {
  readonly value: string | number | boolean | null
  readonly order: OracleValue
}

/**
 * The first and the last day of a clock change are among the parcels' days in the second and third; the fourth changes
 * at midnight.
 */
export const groupZones = ['UTC', 'America/New_York', 'Europe/London', 'Africa/Cairo', 'Asia/Kathmandu'] as const

const units = ['day', 'week', 'month', 'quarter', 'year'] as const

type Unit = (typeof units)[number]

const dayMs = 86_400_000

/** The first day of a unit, weeks beginning on Monday. */
function findUnitStart(day: string, unit: Unit): string {
  const date = new Date(`${day}T00:00:00Z`)
  const write = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  if (unit === 'week') return write(date.getTime() - ((date.getUTCDay() + 6) % 7) * dayMs)
  const month = date.getUTCMonth()
  if (unit === 'month') return write(Date.UTC(date.getUTCFullYear(), month, 1))
  if (unit === 'quarter') return write(Date.UTC(date.getUTCFullYear(), month - (month % 3), 1))
  return unit === 'year' ? write(Date.UTC(date.getUTCFullYear(), 0, 1)) : day
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day that a clock in the zone shows at an instant. */
function dayAt(instant: string, timeZone: string): string {
  const known = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  formats.set(timeZone, known)
  return known.format(new Date(instant))
}

const same = (value: string | number | boolean | null): KeyValue => ({ value, order: value })

const dates: Readonly<Record<'shipped' | 'packed' | 'seen', (parcel: Parcel, timeZone: string) => string | null>> = {
  shipped: ({ shipped }) => shipped,
  packed: ({ packed }) => packed?.slice(0, 10) ?? null,
  seen: ({ seen }, timeZone) => seen && dayAt(seen, timeZone),
}

const dateKey = fc
  .record({ field: fc.constantFrom('shipped', 'packed', 'seen'), bucket: fc.constantFrom(...units) })
  .map(
    ({ field, bucket }): OracleKeyBy => ({
      sent: { field, bucket },
      read: (parcel, timeZone) => {
        const day = dates[field](parcel, timeZone)
        return same(day === null ? null : findUnitStart(day, bucket))
      },
    }),
  )

const finite = (value: OracleValue): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))

const widthKey = fc
  .record({ field: fc.constantFrom('weight', 'bucket'), width: fc.constantFrom(1, 2, 3, 10, 1_000_000) })
  .map(
    ({ field, width }): OracleKeyBy => ({
      sent: { field, bucket: { width } },
      read: (parcel) => {
        const value = valueUnder(field as OracleKey, parcel)
        return same(finite(value) ? Math.floor(Number(value) / width) * width : null)
      },
    }),
  )

/** Prices have three decimals, so thousandths are whole. */
const priceKey = fc.constantFrom(0.5, 0.25, 12.5, 100).map(
  (width): OracleKeyBy => ({
    sent: { field: 'price', bucket: { width } },
    read: ({ price }) => {
      if (price === null) return same(null)
      const thousandths = Math.round(Number(price) * 1_000)
      const size = width * 1_000
      return same((Math.floor(thousandths / size) * size) / 1_000)
    },
  }),
)

const plainFields = [
  ...(['code', 'state', 'weight', 'price', 'score', 'ratio', 'kind_text', 'fragile', 'heavy', 'bucket'] as const),
  ...(['shipped', 'token', 'note', 'depot__city', 'depot__region__name', 'big'] as const),
] as const

const plainKey = fc.constantFrom(...plainFields).map((name): OracleKeyBy => {
  const field = name === 'kind_text' ? 'kind' : name
  return {
    sent: { field },
    read: (parcel) => {
      const order = valueUnder(field, parcel)
      if (field === 'kind') return { value: parcel.kind, order }
      if (field === 'shipped') return same(parcel.shipped)
      if (typeof order === 'number' && !Number.isFinite(order)) return same(null)
      if (typeof order !== 'bigint') return { value: order, order }
      const isSafe = String(Number(order)) === String(order)
      return { value: isSafe ? Number(order) : String(order), order }
    },
  }
})

/** Up to three keys of every kind. */
export const oracleGroupBy: fc.Arbitrary<readonly OracleKeyBy[]> = fc.array(
  fc.oneof({ arbitrary: plainKey, weight: 3 }, { arbitrary: dateKey, weight: 3 }, widthKey, priceKey),
  { minLength: 1, maxLength: 3 },
)

/** The rows of a group, in the order that they had. */
export interface ExpectedGroup {
  readonly values: readonly KeyValue['value'][]
  readonly rows: readonly Parcel[]
}

/** The groups of rows in the order of their keys, missing values last, by the plainest means. */
export function expectedGroups(
  rows: readonly Parcel[],
  keys: readonly OracleKeyBy[],
  timeZone: string,
): readonly ExpectedGroup[] {
  const groups = new Map<string, { readonly own: readonly KeyValue[]; readonly rows: Parcel[] }>()
  for (const row of rows) {
    const own = keys.map(({ read }) => read(row, timeZone))
    const name = JSON.stringify(own.map(({ value }) => value))
    const group = groups.get(name) ?? { own, rows: [] }
    groups.set(name, group)
    group.rows.push(row)
  }
  const ordered = [...groups.values()].toSorted((left, right) => {
    for (const [index, { order: a }] of left.own.entries()) {
      const b = right.own[index]?.order ?? null
      const result = a === null || b === null ? Number(a === null) - Number(b === null) : compareValues(a, b)
      if (result !== 0) return result
    }
    return 0
  })
  return ordered.map(({ own, rows: held }) => ({ values: own.map(({ value }) => value), rows: held }))
}
