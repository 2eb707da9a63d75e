/** Samples of each variant, in the order in which its rounds ran. */
export type Samples<Name extends string, Sample> = Readonly<Record<Name, readonly Sample[]>>

/** Runs every variant once per round, in an order that turns round each time, after `uncounted` rounds. */
export async function interleave<Name extends string, Sample>(
  rounds: number,
  variants: Readonly<Record<Name, () => Promise<Sample>>>,
  uncounted = 1,
): Promise<Samples<Name, Sample>> {
  const names = Object.keys(variants) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>
  for (let round = 0; round < rounds + uncounted; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await variants[name]()
      if (round >= uncounted) samples[name].push(sample)
    }
  }
  return samples
}

/** The middle of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const low = sorted[middle - 1] ?? Number.NaN
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** The value below which `share` of the values lie. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

/** The median of the rounds' own ratios: what both sides of a round suffered alike cancels out. */
export const ratio = (values: readonly number[], others: readonly number[]): number =>
  median(values.map((value, round) => value / (others[round] ?? Number.NaN)))

/** Milliseconds that `work` takes. */
export async function measure(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
