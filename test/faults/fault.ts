import { inject, it } from 'vitest'
import { createRandom, type Random } from './random.ts'

/** Registers a fault: a test for each seed, whose number its title tells. `id` is the row of the table in README.md. */
export function fault(id: `F${number}`, title: string, run: (random: Random) => Promise<void>): void {
  for (const seed of inject('faultSeeds')) {
    it(`${id} ${title} (seed ${seed})`, () => run(createRandom(seed)))
  }
}
