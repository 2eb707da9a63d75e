import { sql } from 'drizzle-orm'
import { createRegistry } from '#lib'
import { flightsTable } from '../../../tables/flights.ts'
import { claims } from '../../../tables/identity.ts'
import { flights } from '../../../tables/schema/index.ts'
import { type Bench, compareTimes, type Figure, type Question } from '../figure.ts'
import { openProduct } from '../opponents.ts'
import { interleave, measure } from '../rounds.ts'

const rounds = 101
const sorts = [{ field: 'date', direction: 'desc' }]

interface Filtered {
  readonly name: string
  /** An index serves one of the filters, so that the count may fit into the budget. */
  readonly isServed?: true
  /** Filters that no index serves, other ones for each number, so that no total is remembered. */
  readonly filters: (number: number) => readonly object[]
}

const queries: readonly Filtered[] = [
  {
    name: 'delay and distance',
    filters: (number) => [
      { field: 'delay', operator: '>=', value: -number },
      { field: 'distance', operator: '>=', value: 500 + number },
    ],
  },
  {
    name: 'origin__city like',
    filters: (number) => [
      { field: 'origin__city', operator: 'like', value: 'an' },
      { field: 'delay', operator: '>=', value: -number },
    ],
  },
  {
    name: 'a rare distance, which an index serves',
    isServed: true,
    filters: (number) => [
      { field: 'distance', operator: '>=', value: 2_500 + number },
      { field: 'delay', operator: '>=', value: 120 },
    ],
  },
]

const scopes = {
  'every row': flightsTable.definition.scope,
  'a scope': () => sql`${flights.distance} > 10`,
} as const

async function compare(bench: Bench, filtered: Filtered, name: keyof typeof scopes) {
  bench.report(`${filtered.name}, ${name}`)
  const definition = { ...flightsTable.definition, bindings: {}, filters: plainFilters, scope: scopes[name] }
  const product = openProduct(bench, 1, { tables: createRegistry([{ definition }], { claims }) })
  let number = 0
  const kinds = new Set<string>()
  const ask = async (count: string) => {
    number += 1
    const response = await product.call({ sorts, count, filters: filtered.filters(number) })
    if (count === 'auto') kinds.add(JSON.parse(response).pagination.total_kind)
  }
  try {
    const samples = await interleave(rounds, {
      page: () => measure(() => ask('none')),
      auto: () => measure(() => ask('auto')),
    })
    const exact = await measure(() => ask('exact'))
    const more = `, exact ${exact.toFixed(0)} ms; ${[...kinds].join(', ')}`
    const target = filtered.isServed ? { more } : { more, most: 1.2 }
    return compareTimes(`${filtered.name}, ${name}`, samples.auto, ['page alone', samples.page], target)
  } finally {
    await product.close()
  }
}

/** The filters without the choices that come from bindings, which would cost statements of their own. */
const plainFilters = { date: flightsTable.definition.filters?.['date'], delay: {} } as NonNullable<
  typeof flightsTable.definition.filters
>

/** Compares a page with its first total with the page alone. */
export const openTotals: Question = {
  id: 'open-totals',
  asks: 'How long does a page wait for its first total where no index serves the filter?',
  method: `query-table in process on all flights with \`count: "auto"\` and with \`count: "none"\`, ${rounds} rounds, alternating, whole requests. Every request has other values, so that none is answered from memory.`,
  measure: async (bench) => {
    const figures: Figure[] = []
    for (const query of queries)
      for (const name of Object.keys(scopes) as (keyof typeof scopes)[]) figures.push(await compare(bench, query, name))
    return figures
  },
}
