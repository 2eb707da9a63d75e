import { inject, it } from 'vitest'
import { createRandom, type Random } from './random.ts'

/**
 * Registers a fault: a test for each seed, whose number its title tells. `id` is the row of the table in README.md.
 * `suiteSeeds` are those of the suite, where the first two leave out a way that mistakes take.
 */
export function fault(
  id: `F${number}`,
  title: string,
  run: (random: Random) => Promise<void>,
  suiteSeeds: readonly number[] = [1, 2],
): void {
  const asked = inject('faultSeeds')
  for (const seed of asked.length > 0 ? asked : suiteSeeds) {
    it(`${id} ${title} (seed ${seed})`, () => run(createRandom(seed)))
  }
}
