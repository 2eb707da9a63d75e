import { drive, type LoadSample } from '../drive.ts'
import { atLeast, atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { indexedQuery } from '../flights-request.ts'
import { assertSameResponse, openLimit, openProduct, warmUp } from '../opponents.ts'
import { interleave, median, ratio, type Samples } from '../rounds.ts'

const rounds = 15
const stretchMs = 500

const compareWith = (name: string, samples: Samples<'product' | 'limit', LoadSample>) => {
  const of = (side: 'product' | 'limit', key: keyof LoadSample) => samples[side].map((sample) => sample[key])
  return {
    name,
    rate: ratio(of('product', 'rate'), of('limit', 'rate')),
    p50: ratio(of('product', 'p50Ms'), of('limit', 'p50Ms')),
    of: (side: 'product' | 'limit', key: keyof LoadSample) => median(of(side, key)),
  }
}

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
    return { ...compareWith(name, samples), bytes }
  } finally {
    await Promise.all([product.close(), limit.close()])
  }
}

type Comparison = Awaited<ReturnType<typeof compare>>

function latencyFigure({ name, p50, of }: Comparison, most?: number): Figure {
  const text = `${p50.toFixed(2)} x (${of('product', 'p50Ms').toFixed(3)} ms, limit ${of('limit', 'p50Ms').toFixed(3)} ms)`
  const figure = { name: `p50, ${name}`, measured: text }
  return most === undefined ? figure : atMost(figure.name, p50, most, text, ' x')
}

function rateFigure({ name, rate, of }: Comparison): Figure {
  const text = `${rate.toFixed(2)} x (${of('product', 'rate').toFixed(0)}/s, limit ${of('limit', 'rate').toFixed(0)}/s)`
  return atLeast(`rate, ${name}`, rate, 0.9, text, ' x')
}

function cpuFigure({ name, of }: Comparison): Figure {
  const micros = of('product', 'cpuMicros')
  return atMost(
    `CPU per request, ${name}`,
    micros,
    250,
    `${micros.toFixed(0)} us (limit ${of('limit', 'cpuMicros').toFixed(0)} us)`,
    ' us',
  )
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
      latencyFigure(alone, 1.15),
      latencyFigure(spare),
      rateFigure(ten),
      rateFigure(fifty),
      cpuFigure(alone),
      cpuFigure(ten),
    ]
  },
}
