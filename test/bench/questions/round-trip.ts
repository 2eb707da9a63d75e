import { startTcpProxy } from '../../support/network/tcp-proxy.ts'
import { drive } from '../drive.ts'
import { atMost, compareTimes, type Question } from '../figure.ts'
import { indexedQuery } from '../flights-request.ts'
import { assertSameResponse, openLimit, openProduct, warmUp } from '../opponents.ts'
import { pageSql, prepare } from '../practical-limit.ts'
import { interleave } from '../rounds.ts'

const rounds = 15
const stretchMs = 500
const latencyMs = 5

/** Measures query-table with a delay between function and database. */
export const roundTrip: Question = {
  id: 'round-trip',
  asks: `What does query-table take when the database is ${latencyMs} ms away?`,
  method: `A proxy that holds back what clients send for ${latencyMs} ms, one connection each, one request at a time, both sides warmed up for 4 s without it, ${rounds} rounds of ${stretchMs} ms, alternating; the page statement alone is sent prepared and nothing is made of its rows.`,
  measure: async (bench) => {
    await warmUp(bench)
    const proxy = await startTcpProxy({ target: bench.databaseUrl, latencyMs })
    const product = openProduct({ ...bench, databaseUrl: proxy.url() }, 1)
    const limit = openLimit(proxy.url(), 1)
    const pageOnly = () => prepare(limit.sql, pageSql, ['SFO', 'DEN'])
    try {
      await assertSameResponse(product, limit)
      const before = proxy.roundTrips()
      await product.call(indexedQuery)
      const trips = proxy.roundTrips() - before
      const samples = await interleave(rounds, {
        product: () => drive(() => product.call(indexedQuery), 1, stretchMs),
        limit: () => drive(limit.call, 1, stretchMs),
        page: () => drive(pageOnly, 1, stretchMs),
      })
      const p50 = (side: keyof typeof samples) => samples[side].map(({ p50Ms }) => p50Ms)
      const page = ['page statement', p50('page')] as const
      return [
        atMost('round trips of a warm query-table', trips, 1, String(trips)),
        compareTimes('p50 beside the page statement alone', p50('product'), page, { most: 1.1 }),
        compareTimes('the practical limit, beside the page statement alone', p50('limit'), page),
      ]
    } finally {
      await Promise.all([product.close(), limit.close()])
      await proxy.close()
    }
  },
}
