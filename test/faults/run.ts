import { readFileSync, writeFileSync } from 'node:fs'
import { startVitest, type TestCase } from 'vitest/node'
import { readArguments } from '../support/run/read-arguments.ts'

/** Runs the faults from their seeds, prints a table of the outcomes, and with `--write` puts it into README.md. */
const usage = `Usage: npm run faults [-- [--seeds <count or list>] [--only <fault>,...] [--write]]
  --seeds  20 (default) is the seeds 1 to 20; 7,9 are these two; 7, is this one
  --only   faults of test/faults/README.md, such as F4,F5; default: all
  --write  puts the outcomes into test/faults/README.md
Ends with exit code 1 where a fault has broken a rule, and 2 where none could be run.`

const options = {
  seeds: { type: 'string', default: '20' },
  only: { type: 'string' },
  write: { type: 'boolean', default: false },
} as const

interface Row {
  readonly id: string
  readonly title: string
  readonly seeds: readonly number[]
  readonly failed: readonly number[]
  readonly longestMs: number
}

function readSeeds(text: string): readonly number[] {
  if (!/^[1-9]\d*(,\d*)*$/.test(text))
    throw new Error(`--seeds: "${text}" is no number above 0 and no list of numbers such as 7,9`)
  if (text.includes(',')) return text.split(',').filter(Boolean).map(Number)
  return Array.from({ length: Number(text) }, (_, index) => index + 1)
}

const { seeds, only, write } = readArguments(usage, { options }, ({ values }) => {
  const { only, write } = values
  if (only !== undefined && !/^F\d+(,F\d+)*$/.test(only))
    throw new Error(`--only is a fault or a list of faults such as F4,F5, not "${only}"`)
  return { seeds: readSeeds(values.seeds), only, write }
})

async function runFaults(seeds: readonly number[]): Promise<readonly Row[]> {
  process.env['FAULT_SEEDS'] = seeds.join()
  process.env['FAULT_CALLERS'] ??= '200'
  const pattern = only === undefined ? {} : { testNamePattern: `^(${only.replaceAll(',', '|')}) ` }
  const vitest = await startVitest('test', ['test/faults/'], {
    config: 'test/vitest.config.ts',
    watch: false,
    typecheck: { enabled: false },
    maxWorkers: 1,
    reporters: ['dot'],
    ...pattern,
  })
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  await vitest.close()
  return listRows(tests.filter((test) => test.result().state !== 'skipped'))
}

function listRows(tests: readonly TestCase[]): readonly Row[] {
  const groups = Map.groupBy(tests, ({ name }) => name.replace(/ \(seed \d+\)$/, ''))
  const rows = [...groups].map(([name, group]) => {
    const [, id = '', title = ''] = /^(F\d+) (.*)$/.exec(name) ?? []
    const readSeed = (test: TestCase) => Number(/\(seed (\d+)\)$/.exec(test.name)?.[1])
    return {
      id,
      title,
      seeds: group.map(readSeed),
      failed: group.filter((test) => test.result().state !== 'passed').map(readSeed),
      longestMs: Math.max(...group.map((test) => test.diagnostic()?.duration ?? 0)),
    }
  })
  return rows.toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
}

type Cells = readonly string[]

const cells = ({ id, title, seeds, failed, longestMs }: Row, date: string): Cells => {
  const outcome = `${seeds.length - failed.length} held${failed.length > 0 ? `, failed: ${failed.join()}` : ''}`
  return [id, title, `${seeds[0]} to ${seeds.at(-1)}`, outcome, `${(longestMs / 1_000).toFixed(1)} s`, date]
}

const readme = new URL('./README.md', import.meta.url)
const splitCells = (line: string): Cells =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Replaces the rows of the faults that were run; the others keep what an earlier run has found. */
function writeRows(rows: readonly Cells[]): void {
  const lines = readFileSync(readme, 'utf8').split('\n')
  const start = lines.findIndex((line) => line.startsWith('| Fault'))
  const end = lines.findLastIndex((line) => line.startsWith('|'))
  const [head = [], , ...known] = lines.slice(start, end + 1).map(splitCells)
  const merged = new Map([...known, ...rows].map((row) => [row.slice(0, 2).join(), row]))
  const table = [...merged.values()].toSorted(([a = ''], [b = '']) => Number(a.slice(1)) - Number(b.slice(1)))
  const widths = head.map((_, column) => Math.max(...[head, ...table].map((row) => row[column]?.length ?? 0)))
  const line = (row: Cells) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  writeFileSync(
    readme,
    [...lines.slice(0, start), line(head), rule, ...table.map(line), ...lines.slice(end + 1)].join('\n'),
  )
}

const rows = await runFaults(seeds)
const date = new Date().toISOString().slice(0, 10)
const lines = rows.map((row) => cells(row, date))
process.stdout.write(`\n${lines.map((line) => line.join(' | ')).join('\n')}\n`)
if (write) writeRows(lines)
if (rows.length === 0) console.error(`No test is called after ${only}; test/faults/README.md lists the faults.`)
process.exitCode = rows.length === 0 ? 2 : Number(rows.some(({ failed }) => failed.length > 0))
