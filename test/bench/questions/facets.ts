import assert from 'node:assert/strict'
import { countSql, firstPageSql } from '../by-hand.ts'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { openProduct } from '../opponents.ts'
import { limitClient, prepare } from '../practical-limit.ts'
import { interleave, measure, median, ratio } from '../rounds.ts'
import { countStatements } from '../statement-count.ts'

const rounds = 11
const where = 'f.origin = $1'
const origin = 'SFO'
const facets = ['origin__state', 'destination__state', 'distance']

const stateSql = (column: string) =>
  `(select a.state as v, count(*) as n from flights f join airports a on a.iata = f.${column}
    where ${where} and a.state is not null group by 1 order by 2 desc, 1 limit 101)`

/** The facets by hand, in one statement; the width of the ranges is the one that the service chooses. */
const facetsSql = (width: number): string =>
  [
    stateSql('origin'),
    stateSql('destination'),
    `(select (f.distance / ${width} * ${width})::text, count(*) from flights f where ${where} group by f.distance / ${width} order by f.distance / ${width})`,
  ].join(' union all ')

interface AnsweredOption {
  readonly value: string | { readonly from: number; readonly to: number }
  readonly count: number
}

async function compare(bench: Bench): Promise<readonly Figure[]> {
  bench.report(facets.join(', '))
  const counted = countStatements()
  const product = openProduct(bench, 1, counted)
  const sql = limitClient(bench.databaseUrl, 1)
  try {
    const page = { filters: [{ field: 'origin', operator: '=', value: origin }], perPage: 20 }
    const query = { ...page, facets }
    const response = JSON.parse(await product.call(query))
    const options: readonly AnsweredOption[] = facets.flatMap((name) => response.facets[name].options)
    const { statements, roundTrips } = counted.take()
    const range = options.at(-1)?.value
    const width = typeof range === 'object' ? range.to - range.from : 1
    const readFacets = () => prepare(sql, facetsSql(width), [origin])
    const withPage = () =>
      Promise.all([prepare(sql, firstPageSql(where), [origin]), prepare(sql, countSql(where), [origin]), readFacets()])
    const byHand = (await readFacets()).map(([value, count]) => [String(value), Number(count)])
    const own = options.map(({ value, count }) => [String(typeof value === 'object' ? value.from : value), count])
    assert.deepEqual(own, byHand)
    const samples = await interleave(rounds, {
      product: () => measure(() => product.call(query)),
      byHand: () => measure(withPage),
      page: () => measure(() => product.call(page)),
    })
    const times = ratio(samples.product, samples.byHand)
    const text = `${times.toFixed(2)} x (${median(samples.product).toFixed(0)} ms, by hand ${median(samples.byHand).toFixed(0)} ms, the page alone ${median(samples.page).toFixed(1)} ms)`
    return [
      atMost(`three facets of ${response.pagination.total} rows and their page`, times, 1.2, text, ' x'),
      atMost('round trips', roundTrips, 1, `${roundTrips} (${statements.length} statements)`),
    ]
  } finally {
    await Promise.all([product.close(), sql.end({ timeout: 1 })])
  }
}

/** Compares facets with statements by hand. */
export const facetsOfFilters: Question = {
  id: 'facets',
  asks: 'What do the facets of three filters cost beside a statement by hand?',
  method: `query-table of flights in process on one connection, filtered by one airport, with the facets of two states of relations and of a number; by hand: page, count and facets as three statements, pipelined, with the same counts, which each run asserts. By hand knows the width of the ranges, the service finds it. ${rounds} rounds, alternating.`,
  measure: compare,
}
