import type { ProductOptions } from './opponents.ts'

/** The statements of one request. */
export interface StatementCount {
  readonly statements: readonly { readonly text: string; readonly parameters: readonly unknown[] }[]
  /** How often a statement was sent after another one had been answered, and once for the first. */
  readonly roundTrips: number
}

/** Counts the statements of a product, and how many times they waited for one another. */
export function countStatements(): ProductOptions & { readonly take: () => StatementCount } {
  let statements: StatementCount['statements'][number][] = []
  let roundTrips = 0
  let isAnswered = true
  return {
    observe: (text, parameters) => {
      statements.push({ text, parameters })
      if (isAnswered) roundTrips += 1
      isAnswered = false
    },
    onResponse: () => {
      isAnswered = true
    },
    take: () => {
      const taken = { statements, roundTrips }
      statements = []
      roundTrips = 0
      isAnswered = true
      return taken
    },
  }
}
