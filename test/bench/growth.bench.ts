import type { TopLevelSpec } from 'vega-lite'
import { markdownTable } from '../../infra/figures/markdown-table.ts'
import { createDatabase } from '../../infra/local/database/database.ts'
import { drawChart } from './chart.ts'
import { circumstances, describeRun } from './figure.ts'
import { withBench } from './flights-database.ts'
import {
  type GrowthBench,
  type GrowthPoint,
  measureCallers,
  measureColumns,
  measureExports,
  measureFilters,
  measurePages,
  measureRows,
  measureTables,
} from './growth-figures.ts'
import { fitLaw, type Law, predict } from './growth-law.ts'
import { generateTables } from './growth-tables.ts'
import { runChartedBenchmark } from './published-run.ts'

interface Result {
  readonly began: string
  readonly ended: string
  readonly extent: Pick<GrowthBench, 'maxSize' | 'milliseconds'>
  readonly points: readonly GrowthPoint[]
}

type Metric = 'latencyMs' | 'cpuMicros' | 'databaseCpuMicros' | 'bytes' | 'megabytes'

const metrics: Readonly<Record<Metric, { readonly name: string; readonly unit: string }>> = {
  latencyMs: { name: 'latency', unit: 'ms' },
  cpuMicros: { name: 'CPU of the function', unit: 'us' },
  databaseCpuMicros: { name: 'CPU of the database', unit: 'us' },
  bytes: { name: 'bytes', unit: 'B' },
  megabytes: { name: 'memory', unit: 'MB' },
}

/** The points of one line: a metric of one series, by what grows. */
interface Line {
  readonly dimension: string
  readonly series: string
  readonly metric: Metric
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly law: Law
}

function fitLines(points: readonly GrowthPoint[]): readonly Line[] {
  const names = [...new Set(points.map(({ dimension, series }) => JSON.stringify([dimension, series])))]
  return names.flatMap((name) => {
    const [dimension, series]: [string, string] = JSON.parse(name)
    const own = points.filter((point) => point.dimension === dimension && point.series === series)
    return (Object.keys(metrics) as Metric[]).flatMap((metric): readonly Line[] => {
      // Linux counts in steps of 10 ms: less than that is nothing.
      const measured = own.flatMap((point) => {
        const y = point[metric]
        return y === undefined || y === null || y <= 0 ? [] : [{ x: point.x, y }]
      })
      return measured.length < 3 ? [] : [{ dimension, series, metric, points: measured, law: fitLaw(measured) }]
    })
  })
}

const digits = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))

function describeLaw({ law, points, metric }: Line): string {
  const { unit } = metrics[metric]
  const first = points[0]?.y ?? 0
  const last = points.at(-1)?.y ?? 0
  if (law.name === 'constant') return `constant, ${digits(law.base)} ${unit}`
  const bend = law.bend === undefined ? '' : `, bends at ${digits(law.bend)}`
  return `${law.name}, ${digits(first)} to ${digits(last)} ${unit}${bend}`
}

function lawTable(lines: readonly Line[]): string {
  const rows = [...new Set(lines.map(({ dimension, series }) => JSON.stringify([dimension, series])))]
  const head = ['what grows', 'from', 'to', ...Object.values(metrics).map(({ name }) => name)]
  return markdownTable(
    head,
    rows.map((row) => {
      const [dimension, series]: [string, string] = JSON.parse(row)
      const own = lines.filter((line) => line.dimension === dimension && line.series === series)
      const xs = own.flatMap(({ points }) => points.map(({ x }) => x))
      const cells = (Object.keys(metrics) as Metric[]).map((metric) => {
        const line = own.find((one) => one.metric === metric)
        return line === undefined ? '' : describeLaw(line)
      })
      return [`${dimension}: ${series}`, digits(Math.min(...xs)), digits(Math.max(...xs)), ...cells]
    }),
  )
}

const steps = 40

/** Places from the first to the last point of a line, evenly on a logarithmic axis. */
function placesOn({ points }: Line): readonly number[] {
  const first = points[0]?.x ?? 0
  const last = points.at(-1)?.x ?? 0
  return Array.from({ length: steps + 1 }, (_, step) => (first + 1) * ((last + 1) / (first + 1)) ** (step / steps) - 1)
}

/** Each number by itself: a common unit would make 0M of 10,000 beside 1M. */
const labelExpr = "format(datum.value, '~s')"

function panel(lines: readonly Line[], dimension: string, title: string): TopLevelSpec {
  const own = lines.filter((line) => line.dimension === dimension)
  const measured = own.flatMap(({ series, points }) => points.map((point) => ({ ...point, series })))
  const fitted = own.flatMap((line) => placesOn(line).map((x) => ({ x, y: predict(line.law, x), series: line.series })))
  const places = [...new Set(measured.map(({ x }) => x))]
  const encoding = {
    x: {
      field: 'x',
      type: 'quantitative',
      title: dimension,
      scale: { type: 'symlog' },
      axis: { values: places, labelExpr },
    },
    y: {
      field: 'y',
      type: 'quantitative',
      title,
      scale: { type: 'symlog', zero: true },
      axis: { tickCount: 5, labelExpr },
    },
    color: { field: 'series', type: 'nominal', title: null, legend: { orient: 'bottom', columns: 1, labelLimit: 400 } },
  } as const
  return {
    width: 240,
    height: 150,
    layer: [
      { data: { values: fitted }, mark: { type: 'line', strokeWidth: 1, opacity: 0.6 }, encoding },
      { data: { values: measured }, mark: { type: 'point', filled: true, size: 35 }, encoding },
    ],
  } as TopLevelSpec
}

async function drawMetric(lines: readonly Line[], metric: Metric, began: string): Promise<void> {
  const own = lines.filter((line) => line.metric === metric)
  const { name, unit } = metrics[metric]
  const dimensions = [...new Set(own.map(({ dimension }) => dimension))]
  await drawChart(`growth-${name.toLowerCase().replaceAll(' ', '-')}`, {
    title: { text: `How the ${name} grows, with the law that fits`, subtitle: began },
    concat: dimensions.map((dimension) => panel(own, dimension, `${name} (${unit})`)),
    columns: 3,
    resolve: { scale: { color: 'independent', x: 'independent', y: 'independent' } },
  } as TopLevelSpec)
}

async function drawCharts({ points, began }: Result): Promise<void> {
  const lines = fitLines(points)
  for (const metric of Object.keys(metrics) as Metric[]) await drawMetric(lines, metric, began)
}

const section = ({ began, ended, points }: Result): string =>
  [describeRun(began, ended), lawTable(fitLines(points))].join('\n\n')

const dimensions = [
  measureRows,
  measurePages,
  measureColumns,
  measureFilters,
  measureTables,
  measureCallers,
  measureExports,
]

const measure = (quick: boolean): Promise<Result> =>
  withBench('all', async (flights) => {
    await createDatabase(flights.databaseUrl, 'growth')
    const extent = quick ? { maxSize: 1_000_000, milliseconds: 200 } : { maxSize: 10_000_000, milliseconds: 1_000 }
    const databaseUrl = Object.assign(new URL(flights.databaseUrl), { pathname: '/growth' }).href
    await generateTables(databaseUrl, extent.maxSize, flights.report)
    const bench = { ...flights, ...extent, databaseUrl, flights }
    const began = circumstances()
    const points: GrowthPoint[] = []
    for (const dimension of dimensions) points.push(...(await dimension(bench)))
    return { began, ended: circumstances(), extent, points }
  })

await runChartedBenchmark('growth', { measure, section, drawCharts })
