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
const aggregates = [
  { field: 'delay', fn: 'sum' },
  { field: 'distance', fn: 'avg' },
  { field: 'distance', fn: 'max' },
  { field: 'destination', fn: 'count' },
]
const aggregatesSql = `select sum(f.delay), avg(f.distance), max(f.distance), count(f.destination) from flights f where ${where}`

async function compare(bench: Bench): Promise<readonly Figure[]> {
  bench.report('aggregates')
  const counted = countStatements()
  const product = openProduct(bench, 1, counted)
  const sql = limitClient(bench.databaseUrl, 1)
  try {
    const page = { filters: [{ field: 'origin', operator: '=', value: origin }], perPage: 20 }
    const query = { ...page, aggregates }
    const response = JSON.parse(await product.call(query))
    const { statements, roundTrips } = counted.take()
    const readTotals = () => prepare(sql, aggregatesSql, [origin])
    const [byHand = []] = await readTotals()
    const own = aggregates.map(({ field, fn }) => Number(response.aggregates[field][fn].value))
    assert.deepEqual(own.map(roundTo12), byHand.map(Number).map(roundTo12))
    const samples = await interleave(rounds, {
      product: () => measure(() => product.call(query)),
      byHand: () =>
        measure(() =>
          Promise.all([
            prepare(sql, firstPageSql(where), [origin]),
            prepare(sql, countSql(where), [origin]),
            readTotals(),
          ]),
        ),
      page: () => measure(() => product.call(page)),
    })
    const times = ratio(samples.product, samples.byHand)
    const text = `${times.toFixed(2)} x (${median(samples.product).toFixed(1)} ms, by hand ${median(samples.byHand).toFixed(1)} ms, the page alone ${median(samples.page).toFixed(1)} ms)`
    return [
      { name: `four aggregates of ${response.pagination.total} rows and their page`, measured: text },
      atMost('round trips', roundTrips, 1, `${roundTrips} (${statements.length} statements)`),
    ]
  } finally {
    await Promise.all([product.close(), sql.end({ timeout: 1 })])
  }
}

const roundTo12 = (value: number): number => Number(value.toPrecision(12))

/** Compares aggregates beside a page with statements by hand. */
export const aggregatesOfRows: Question = {
  id: 'aggregates',
  asks: 'What do aggregates beside a page cost beside statements by hand?',
  method: `query-table of flights in process on one connection, filtered by one airport, with four aggregates; by hand: page, count and aggregates as three statements, pipelined, with the same totals, which each run asserts. ${rounds} rounds, alternating.`,
  measure: compare,
}
