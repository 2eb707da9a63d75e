import type { Parcel } from '../parcels/parcel-rows.ts'

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

/** Totals by the names of a column and a function, by exact arithmetic on the rows of the oracle. */
export function expectedTotals(rows: readonly Parcel[]) {
  const prices = present(rows, ({ price }) => price)
    .map(thousandths)
    .toSorted(byMagnitude)
  const weights = present(rows, ({ weight }) => weight).toSorted((left, right) => left - right)
  const days = present(rows, ({ shipped }) => shipped).toSorted()
  const low = weights[Math.ceil(weights.length / 2) - 1]
  const high = weights[Math.floor(weights.length / 2)]
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

type Totals = ReturnType<typeof expectedTotals>

/** The functions that `expectedTotals` computes, as a request asks for them. */
export const oracleAggregates = Object.keys(expectedTotals([])).map((name) => {
  const [field = '', fn = ''] = name.split(' ')
  return { field, fn }
})

type OracleTotals = Readonly<Record<string, Readonly<Record<string, { readonly value: unknown }>>>>

/** The totals of a response in the form of `expectedTotals`. */
export const answeredTotals = (aggregates: OracleTotals): Record<keyof Totals, unknown> =>
  Object.fromEntries(
    oracleAggregates.map(({ field, fn }) => {
      const value = aggregates[field]?.[fn]?.value ?? null
      const isPrice = field === 'price' && fn !== 'count_distinct' && value !== null
      return [`${field} ${fn}`, isPrice ? decimalText(thousandths(String(value))) : value]
    }),
  ) as Record<keyof Totals, unknown>
