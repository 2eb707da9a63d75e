import { readFile, writeFile } from 'node:fs/promises'
import { replaceSection } from '../../infra/figures/readme-section.ts'
import { readArguments } from '../support/run/read-arguments.ts'

/** Three digits: runs differ by more than the rest. */
const round = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(value >= 1_000 ? 4 : 3)) : value

const resultFile = (name: string): URL => new URL(`./results/${name}.json`, import.meta.url)

/** Keeps what a run measured as `results/<name>.json`, and puts its section into README.md. */
export async function publishRun(name: string, command: string, result: object, section: string): Promise<void> {
  await writeFile(resultFile(name), `${JSON.stringify(result, round, 2)}\n`)
  await replaceSection(new URL('./README.md', import.meta.url), `npm run ${command}`, section)
}

/** The parts of a benchmark whose tables and charts are drawn from what it measured. */
interface ChartedBenchmark<Result> {
  readonly measure: (quick: boolean) => Promise<Result>
  readonly section: (result: Result) => string
  readonly drawCharts: (result: Result) => Promise<unknown>
}

const options = {
  quick: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  draw: { type: 'boolean', default: false },
} as const

/** Runs `npm run bench:<name>` with the arguments of the process. Ends the process, with the usage, for any others. */
export async function runChartedBenchmark<Result extends object>(
  name: 'growth' | 'peers',
  { measure, section, drawCharts }: ChartedBenchmark<Result>,
): Promise<void> {
  const usage = `Usage: npm run bench:${name} [-- [--quick] [--write] [--draw]]
  --quick  measures with less data and for a shorter time
  --write  puts the figures into test/bench/README.md, results/ and charts/
  --draw   measures nothing, and draws table and charts anew from results/`
  const { quick, write, draw } = readArguments(usage, { options }, ({ values }) => values)
  const result: Result = draw ? JSON.parse(await readFile(resultFile(name), 'utf8')) : await measure(quick)
  if (!draw) console.log(section(result))
  if (!draw && !write) return
  await publishRun(name, `bench:${name}`, result, section(result))
  await drawCharts(result)
}
