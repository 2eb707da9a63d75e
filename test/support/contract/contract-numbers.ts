import type { ContractValue } from './contract-data.ts'

const places = 20
const unit = 10n ** BigInt(places)

/**
 * A number of Postgres or JavaScript as a whole number of 10^-20; `undefined` for NaN, the infinities and what is no
 * number.
 */
function readExact(text: string | null): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text ?? '') ?? []
  if (sign === undefined) return undefined
  const shift = places - fraction.length + Number(exponent)
  const digits = BigInt(whole + fraction)
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return sign === '-' ? -scaled : scaled
}

/** One text for all spellings of a number, such as `2.5` and `2.50`; `undefined` for what is missing. */
export function canonicalNumber(text: string | null): string | undefined {
  return readExact(text)?.toString()
}

const toNumber = (scaled: bigint): number => Number(scaled) / Number(unit)

/** The aggregates of numbers by their function: exact texts, and counts as numbers. */
export function exactTotals(cells: readonly ContractValue[]): Readonly<Record<string, string | number | null>> {
  const values = cells.flatMap(({ text }) => readExact(text) ?? [])
  const sorted = values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const counts = {
    count: values.length,
    count_empty: cells.length - values.length,
    count_distinct: new Set(values).size,
  }
  if (values.length === 0) return { sum: null, avg: null, min: null, max: null, median: null, ...counts }
  const sum = values.reduce((total, value) => total + value, 0n)
  const [low = 0n, high = 0n] = [sorted[Math.ceil(values.length / 2) - 1], sorted[Math.floor(values.length / 2)]]
  const exact = { sum, avg: sum / BigInt(values.length), min: sorted[0] ?? 0n, max: sorted.at(-1) ?? 0n }
  const texts = Object.entries({ ...exact, median: (low + high) / 2n }).map(([fn, value]) => [fn, value.toString()])
  return { ...Object.fromEntries(texts), ...counts }
}

/** Whether an answered total is the expected one. Postgres rounds an average. */
export function isClose(answered: unknown, expected: string | number | null | undefined): boolean {
  if (answered === null || expected === null) return answered === expected
  const value = readExact(String(answered))
  const wanted = BigInt(expected ?? 0)
  if (value === undefined) return false
  const difference = Math.abs(toNumber(value - wanted))
  return difference <= 1e-12 * Math.max(1, Math.abs(toNumber(wanted)))
}
