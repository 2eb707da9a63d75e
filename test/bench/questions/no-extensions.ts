import assert from 'node:assert/strict'
import { benchFlights, createBenchRegistry } from '../bench-registry.ts'
import { drive } from '../drive.ts'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { indexedQuery } from '../flights-request.ts'
import { openProduct } from '../opponents.ts'
import { interleave, median, ratio } from '../rounds.ts'
import { countStatements } from '../statement-count.ts'

const rounds = 21
const stretchMs = 400

/** The columns of the flights, of which none can be searched. */
const plainColumns = Object.fromEntries(
  Object.entries(benchFlights.columns).map(([key, { search: _, ...column }]) => [key, column]),
) as typeof benchFlights.columns

async function compare(bench: Bench): Promise<readonly Figure[]> {
  bench.report('a page')
  const counted = countStatements()
  const observed = openProduct(bench, 1, counted)
  const declaring = openProduct(bench, 1)
  const plain = openProduct(bench, 1, { tables: createBenchRegistry({ ...benchFlights, columns: plainColumns }) })
  try {
    const own = await declaring.call(indexedQuery)
    const other = await plain.call(indexedQuery)
    assert.equal(own, other)
    await observed.call(indexedQuery)
    counted.take()
    await observed.call(indexedQuery)
    const { statements, roundTrips } = counted.take()
    // Uses every extension once, so that their code is loaded when the other requests are measured.
    await declaring.call({
      search: 'san',
      aggregates: [{ field: 'delay', fn: 'sum' }],
      facets: ['origin__state'],
      filters: indexedQuery.filters,
      group_by: [{ field: 'origin__state' }],
      explain: true,
    })
    const samples = await interleave(
      rounds,
      {
        declaring: () => drive(() => declaring.call(indexedQuery), 1, stretchMs),
        plain: () => drive(() => plain.call(indexedQuery), 1, stretchMs),
      },
      4,
    )
    const cpu = (side: 'declaring' | 'plain') => samples[side].map(({ cpuMicros }) => cpuMicros)
    const times = ratio(cpu('declaring'), cpu('plain'))
    const text = `${times.toFixed(3)} x (${median(cpu('declaring')).toFixed(0)} us, plain ${median(cpu('plain')).toFixed(0)} us)`
    return [
      atMost('CPU beside a table that declares none', times, 1.03, text, ' x'),
      atMost('statements', statements.length, 1, `${statements.length} in ${roundTrips} round trip`),
      { name: 'bytes, equal on both sides', measured: String(Buffer.byteLength(own)) },
    ]
  } finally {
    await Promise.all([observed.close(), declaring.close(), plain.close()])
  }
}

/** Measures a request that asks for no extension on a table that has them. */
export const noExtensions: Question = {
  id: 'no-extensions',
  asks: 'What does a page cost that asks for no search, aggregate, facet, group or explanation?',
  method: `query-table of flights in process on one connection, one request at a time, after one request that has used all of them; beside the same table without searchable columns. ${rounds} rounds of ${stretchMs} ms, alternating; CPU is that of the whole process for each request.`,
  measure: compare,
}
