import type { LoadCounts } from './soak-load.ts'

/** The memory, the handles and the rows that are held at one moment. */
export interface MemorySample {
  readonly minute: number
  /** Objects that are left after a collection of garbage. */
  readonly heapMegabytes: number
  /**
   * Resident memory, with garbage and the contents of buffers. It is not judged: it falls and rises with collections.
   */
  readonly megabytes: number
  readonly descriptors: number
  readonly connections: number
  /** Memory of the database's processes beyond what they share. */
  readonly databaseMegabytes: number
  /** Rows of each table of the service. */
  readonly rows: Readonly<Record<string, number>>
}

type Measure = Exclude<keyof MemorySample, 'minute' | 'rows' | 'megabytes'>

/** How much of each may come and go: it is flat when its trend stays below the greater of both. */
const tolerances: Readonly<
  Record<Measure, { readonly name: string; readonly share: number; readonly absolute: number }>
> = {
  heapMegabytes: { name: 'objects of the process after a collection (MB)', share: 0.1, absolute: 10 },
  descriptors: { name: 'descriptors of the process', share: 0.1, absolute: 10 },
  connections: { name: 'connections to the database', share: 0, absolute: 5 },
  databaseMegabytes: { name: 'memory of the database (MB)', share: 0.1, absolute: 15 },
}

/** How much the trend of the second half adds from its begin to its end: before, caches and compilers fill. */
function trend(
  samples: readonly MemorySample[],
  measure: Measure | 'megabytes',
): { readonly median: number; readonly growth: number } {
  const late = samples.slice(Math.floor(samples.length / 2))
  const xs = late.map(({ minute }) => minute)
  const ys = late.map((one) => one[measure])
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  const mx = mean(xs)
  const my = mean(ys)
  const slope =
    xs.reduce((sum, x, index) => sum + (x - mx) * ((ys[index] ?? 0) - my), 0) /
    xs.reduce((sum, x) => sum + (x - mx) ** 2, 0)
  const median = ys.toSorted((a, b) => a - b)[Math.floor(ys.length / 2)] ?? 0
  return { median, growth: slope * ((xs.at(-1) ?? 0) - (xs[0] ?? 0)) }
}

/** Whether one thing is flat or bounded. */
export interface Assessment {
  readonly what: string
  readonly measured: string
  readonly flat: boolean
}

const service = 'table_control'

const formatGrowth = (growth: number): string => `${growth >= 0 ? '+' : ''}${growth.toFixed(1)}`

/**
 * Judges what was held under load, and the rows that were left when all were past their retention. A response that was
 * not expected is a failure, too.
 */
export function judge(
  samples: readonly MemorySample[],
  left: Readonly<Record<string, number>>,
  load: LoadCounts,
): readonly Assessment[] {
  const trends = (Object.keys(tolerances) as Measure[]).map((measure): Assessment => {
    const { name, share, absolute } = tolerances[measure]
    const { median, growth } = trend(samples, measure)
    const max = Math.max(share * median, absolute)
    const text = `${median.toFixed(0)}, ${formatGrowth(growth)} in the second half (at most ${max.toFixed(0)})`
    return { what: name, measured: text, flat: growth <= max }
  })
  const resident = trend(samples, 'megabytes')
  const residentText = `${resident.median.toFixed(0)}, ${formatGrowth(resident.growth)} in the second half`
  const last = samples.at(-1)?.rows ?? {}
  const tables = Object.entries(left).map(([table, remaining]): Assessment => {
    const text = `${last[table] ?? 0} rows under load, ${remaining} when all were past their retention`
    return { what: `${service}.${table}`, measured: text, flat: remaining === 0 }
  })
  const sent = Object.values(load.requests).reduce((sum, count) => sum + count, 0)
  const failed = `${load.unexpected.length} of ${sent}${load.unexpected.length > 0 ? `, first ${load.unexpected[0]}` : ''}`
  const notJudged = { what: 'resident memory of the process, not judged (MB)', measured: residentText, flat: true }
  return [
    ...trends,
    notJudged,
    ...tables,
    { what: 'unexpected responses', measured: failed, flat: load.unexpected.length === 0 },
  ]
}
