/**
 * One deliberate mistake: a text of lib/, infra/settings/ or infra/stack/ is replaced, and the tests of its area must
 * notice.
 */
export interface Mutant {
  readonly area: string
  /** Occurs exactly once in these folders, in a file of any name. */
  readonly text: string
  readonly replacement: string
  /** Test files or folders, as for `npm test -- <path>`. */
  readonly tests: readonly string[]
}

type Change = readonly [text: string, replacement: string, ...tests: string[]]

/** Lists the mutants of an area. `tests` run for those that name none of their own. */
export const createMutants = (area: string, tests: readonly string[], changes: readonly Change[]): readonly Mutant[] =>
  changes.map(([text, replacement, ...own]) => ({ area, text, replacement, tests: own.length > 0 ? own : tests }))
