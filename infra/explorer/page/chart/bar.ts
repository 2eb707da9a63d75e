/** A bar: how long it is, where it stands, and what it says. */
export interface Bar {
  readonly key: string
  readonly name: string
  /** A bar without a value has no length. */
  readonly value: number | undefined
  readonly text: string
  /** The place on an axis of time or numbers at which it begins. */
  readonly at: number | undefined
}

export interface BarsProps {
  readonly bars: readonly Bar[]
  /** The room for the chart, in pixels. */
  readonly width: number
  readonly isRightToLeft: boolean
  readonly open: (key: string) => void
}

/** The lowest and the highest value, and 0, where bars begin. */
export const barDomain = (bars: readonly Bar[]): readonly [number, number] => {
  const values = bars.map(({ value = 0 }) => value)
  return [Math.min(0, ...values), Math.max(0, ...values)]
}
