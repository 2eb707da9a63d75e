import { readArguments } from '../support/run/read-arguments.ts'

const options = {
  quick: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  draw: { type: 'boolean', default: false },
} as const

/** Reads the options of a benchmark that draws charts. Ends the process, with the usage, for any others. */
export function readChartOptions(command: 'bench:growth' | 'bench:peers') {
  const usage = `Usage: npm run ${command} [-- [--quick] [--write] [--draw]]
  --quick  measures with less data and for a shorter time
  --write  puts the figures into test/bench/README.md, results/ and charts/
  --draw   measures nothing, and draws table and charts anew from results/`
  return readArguments(usage, { options }, ({ values }) => values)
}
