import { drive, type LoadSample } from '../drive.ts'
import { atLeast, atMost, type Bench, compareTimes, type Figure, type Question } from '../figure.ts'
import { indexedQuery } from '../flights-request.ts'
import { assertSameResponse, openLimit, openProduct, warmUp } from '../opponents.ts'
import { interleave, median, ratio } from '../rounds.ts'

const rounds = 15
const stretchMs = 500

type Side = 'product' | 'limit'

async function compare(bench: Bench, connections: number, inFlight: number) {
  const name = `${inFlight} in flight on ${connections} connection${connections === 1 ? '' : 's'}`
  bench.report(name)
  const product = openProduct(bench, connections)
  const limit = openLimit(bench.databaseUrl, connections)
  try {
    const bytes = await assertSameResponse(product, limit)
    const samples = await interleave(rounds, {
      product: () => drive(() => product.call(indexedQuery), inFlight, stretchMs),
      limit: () => drive(limit.call, inFlight, stretchMs),
    })
    return { name, bytes, list: (side: Side, key: keyof LoadSample) => samples[side].map((sample) => sample[key]) }
  } finally {
    await Promise.all([product.close(), limit.close()])
  }
}

type Comparison = Awaited<ReturnType<typeof compare>>

const latencyFigure = ({ name, list }: Comparison, target: { readonly most?: number } = {}): Figure =>
  compareTimes(`p50, ${name}`, list('product', 'p50Ms'), ['limit', list('limit', 'p50Ms')], target)

function rateFigure({ name, list }: Comparison): Figure {
  const [own, other] = [list('product', 'rate'), list('limit', 'rate')]
  const times = ratio(own, other)
  const text = `${times.toFixed(2)} x (${median(own).toFixed(0)}/s, limit ${median(other).toFixed(0)}/s)`
  return atLeast(`rate, ${name}`, times, 0.9, text, ' x')
}

function cpuFigure({ name, list }: Comparison): Figure {
  const [own, other] = [median(list('product', 'cpuMicros')), median(list('limit', 'cpuMicros'))]
  return atMost(`CPU per request, ${name}`, own, 250, `${own.toFixed(0)} us (limit ${other.toFixed(0)} us)`, ' us')
}

/** query-table in this process against the least that any handler must do. */
export const inProcess: Question = {
  id: 'in-process',
  asks: 'What does query-table cost beside the least that any handler must do?',
  method: `Both handlers in one process on the same Postgres, warmed up for 4 s each, then alternating for ${stretchMs} ms each, ${rounds} rounds; tokens included on both sides (verified before, so a look-up); CPU is \`process.cpuUsage\` of the whole process.`,
  measure: async (bench) => {
    bench.report('warming up')
    await warmUp(bench)
    const alone = await compare(bench, 1, 1)
    const spare = await compare(bench, 8, 1)
    const ten = await compare(bench, 8, 10)
    const fifty = await compare(bench, 8, 50)
    return [
      { name: 'bytes answered, equal on both sides', measured: String(alone.bytes) },
      latencyFigure(alone, { most: 1.15 }),
      latencyFigure(spare),
      rateFigure(ten),
      rateFigure(fifty),
      cpuFigure(alone),
      cpuFigure(ten),
    ]
  },
}
