import { startTcpProxy } from '../../support/network/tcp-proxy.ts'
import { drive } from '../drive.ts'
import { atMost, type Question } from '../figure.ts'
import { indexedQuery } from '../flights-request.ts'
import { assertSameResponse, openLimit, openProduct, warmUp } from '../opponents.ts'
import { pageSql, prepare } from '../practical-limit.ts'
import { interleave, median, ratio } from '../rounds.ts'

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
      const times = ratio(p50('product'), p50('page'))
      const text = `${times.toFixed(2)} x (${median(p50('product')).toFixed(2)} ms, page statement ${median(p50('page')).toFixed(2)} ms)`
      return [
        atMost('round trips of a warm query-table', trips, 1, String(trips)),
        atMost('p50 beside the page statement alone', times, 1.1, text, ' x'),
        {
          name: 'the practical limit, beside the page statement alone',
          measured: `${ratio(p50('limit'), p50('page')).toFixed(2)} x (${median(p50('limit')).toFixed(2)} ms)`,
        },
      ]
    } finally {
      await Promise.all([product.close(), limit.close()])
      await proxy.close()
    }
  },
}
