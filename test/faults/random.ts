/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A whole number from `least` to `most`, both included. */
  readonly int: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(options: readonly T[]) => T
  readonly shuffle: <T>(entries: readonly T[]) => readonly T[]
}

/** Creates the generator of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int: Random['int'] = (least, most) => least + Math.floor(next() * (most - least + 1))
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (options) => options[int(0, options.length - 1)] as (typeof options)[number],
    shuffle: (entries) => {
      const shuffled = [...entries]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = int(0, last)
        // Both places exist, so neither is undefined.
        ;[shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never]
      }
      return shuffled
    },
  }
}
