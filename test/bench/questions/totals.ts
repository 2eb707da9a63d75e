import { createRegistry } from '#lib'
import { flightsTable } from '../../../tables/flights.ts'
import { claims } from '../../../tables/identity.ts'
import { atLeast, atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { openProduct } from '../opponents.ts'
import { interleave, measure, median, ratio } from '../rounds.ts'

const rounds = 9
const sorts = [{ field: 'date', direction: 'desc' }]

interface Filtered {
  readonly name: string
  readonly filters: readonly { readonly field: string; readonly operator: string; readonly value: unknown }[]
  readonly unserved: boolean
  /** Joins that the filter itself needs. */
  readonly joins: number
}

const queries: readonly Filtered[] = [
  {
    name: 'origin__city like "an"',
    filters: [{ field: 'origin__city', operator: 'like', value: 'an' }],
    unserved: true,
    joins: 1,
  },
  {
    name: 'delay >= 0 and distance >= 500',
    filters: [
      { field: 'delay', operator: '>=', value: 0 },
      { field: 'distance', operator: '>=', value: 500 },
    ],
    unserved: true,
    joins: 0,
  },
  {
    name: 'destination__city like "francisco", which an index does serve',
    filters: [{ field: 'destination__city', operator: 'like', value: 'francisco' }],
    unserved: false,
    joins: 1,
  },
]

const createFlightsRegistry = (count: 'exact' | 'capped') =>
  createRegistry([{ definition: { ...flightsTable.definition, count } }], { claims })

/** The part of a statement that counts the table. */
const countingPart = (text: string): string => / else (\(.*\)) end as total/s.exec(text)?.[1] ?? ''

async function compare(bench: Bench, filtered: Filtered): Promise<readonly Figure[]> {
  const { name, filters, unserved } = filtered
  const query = { sorts, filters }
  bench.report(name)
  const texts: string[] = []
  const observe = (text: string) => texts.push(text)
  const exact = openProduct(bench, 1, { tables: createFlightsRegistry('exact'), observe })
  const capped = openProduct(bench, 1, { tables: createFlightsRegistry('capped') })
  try {
    const { total } = JSON.parse(await exact.call(query)).pagination
    const samples = await interleave(rounds, {
      exact: () => measure(() => exact.call(query)),
      capped: () => measure(() => capped.call(query)),
    })
    const times = ratio(samples.exact, samples.capped)
    const measured = `${times.toFixed(0)} x (${median(samples.capped).toFixed(1)} ms, exact ${median(samples.exact).toFixed(0)} ms for ${total} rows)`
    const counting = countingPart(texts[0] ?? '')
    const joins = counting.split(' join ').length - 1
    return [
      unserved ? atLeast(`capped at 1,000, ${name}`, times, 8, measured, ' x') : { name: `capped, ${name}`, measured },
      atMost('joins in its count', joins, filtered.joins, `${joins}: \`${counting}\``),
    ]
  } finally {
    await Promise.all([exact.close(), capped.close()])
  }
}

/** Compares exact totals with capped ones. */
export const totals: Question = {
  id: 'totals',
  asks: 'What does a capped total save where no index serves the filter, and what is joined only to count?',
  method: `query-table in process on flights with \`count: 'exact'\` and with \`count: 'capped'\`, ${rounds} rounds, alternating, whole requests.`,
  measure: async (bench) => {
    const figures: Figure[] = []
    for (const query of queries) figures.push(...(await compare(bench, query)))
    return figures
  },
}
