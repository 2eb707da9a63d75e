/** A bar: how long it is, where it stands, and what it says. */
export interface Bar {
  readonly key: string
  readonly name: string
  /** A bar without a value has no length. */
  readonly value: number | undefined
  readonly text: string
  /** The place on an axis of time or numbers at which it begins. */
  readonly at: number | undefined
  /** Shows the rows of the group, where the service has a way to them. */
  readonly open: (() => void) | undefined
}

/** Returns round numbers around all values and 0, about five, each 1, 2 or 5 of a power of ten further. */
export function roundNumbers(bars: readonly Bar[]): readonly number[] {
  const values = [0, ...bars.map(({ value = 0 }) => value)]
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const exact = (high - low || 1) / 5
  const power = 10 ** Math.floor(Math.log10(exact))
  const step = ([1, 2, 5].find((one) => exact < one * 1.5 * power) ?? 10) * power
  const first = Math.floor(low / step)
  // A product such as 3 * 0.2 has digits behind those of the number that is meant.
  return Array.from({ length: Math.max(1, Math.ceil(high / step) - first) + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  )
}

/** Returns what gives a number its place between the first and the last of some, as a share of the whole in percent. */
export const createScale = (first: number, last: number) => (value: number) => ((value - first) / (last - first)) * 100
