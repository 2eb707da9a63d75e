import { cpus, loadavg } from 'node:os'
import { markdownTable } from '../../infra/figures/markdown-table.ts'
import type { Installation } from './installation.ts'
import { median, ratio } from './rounds.ts'

/** One measured value, and the target that it was measured for, if any. */
export interface Figure {
  readonly name: string
  readonly measured: string
  readonly target?: string
  /** Absent if there is no target. */
  readonly met?: boolean
}

/** The database, the keys of its callers, and the output that a question uses. */
export interface Bench extends Installation {
  /** Receives a line of progress. */
  readonly report: (line: string) => void
}

/** One question with the method that answers it. */
export interface Question {
  readonly id: string
  readonly asks: string
  readonly method: string
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>
}

/** A figure that must not exceed `most`. */
export const atMost = (name: string, value: number, most: number, text: string, unit = ''): Figure => ({
  name,
  measured: text,
  target: `<= ${most}${unit}`,
  met: value <= most,
})

/** A figure that must reach `least`. */
export const atLeast = (name: string, value: number, least: number, text: string, unit = ''): Figure => ({
  name,
  measured: text,
  target: `>= ${least}${unit}`,
  met: value >= least,
})

const describeMs = (times: readonly number[]): string => `${Number(median(times).toPrecision(3))} ms`

/** Compares the times of one side with those of another in the same rounds: "1.02 x (70.1 ms, by hand 68.9 ms)". */
export function compareTimes(
  name: string,
  times: readonly number[],
  [otherName, otherTimes]: readonly [name: string, times: readonly number[]],
  { most, more = '' }: { readonly most?: number; readonly more?: string } = {},
): Figure {
  const factor = ratio(times, otherTimes)
  const measured = `${factor.toFixed(2)} x (${describeMs(times)}, ${otherName} ${describeMs(otherTimes)}${more})`
  return most === undefined ? { name, measured } : atMost(name, factor, most, measured, ' x')
}

const describeResult = ({ met }: Figure): string => (met === undefined ? '' : met ? 'met' : '**missed**')

/** Figures as a table of Markdown. */
export const figureTable = (head: readonly string[], figures: readonly Figure[]): string =>
  markdownTable(
    head,
    figures.map((figure) => [figure.name, figure.measured, figure.target ?? '', describeResult(figure)]),
  )

/** The figures of one question as a section of Markdown. */
export const section = ({ id, asks, method }: Question, figures: readonly Figure[]): string =>
  [`### ${id}: ${asks}`, method, figureTable(['Figure', 'Measured', 'Target', ''], figures), ''].join('\n\n')

/** Returns the processor, the load and the date of a run, without the machine's name. */
export function circumstances(): string {
  const [cpu] = cpus()
  const load = loadavg().map((value) => value.toFixed(1))
  const machine = `${cpus().length} cores (${cpu?.model.trim()}), Node ${process.versions.node}, ${process.platform} ${process.arch}`
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, load ${load.join(' / ')}`
}

/** Describes a run by the circumstances of its begin and its end, and warns where other work weighed on it. */
export function describeRun(began: string, ended: string): string {
  const cores = Number(/(\d+) cores/.exec(began)?.[1])
  const load = Number(/load ([\d.]+)/.exec(began)?.[1])
  const warning =
    load > cores ? 'Taken on a machine busy with other work: read its laws and ratios, and those with care. ' : ''
  return `${warning}Began ${began}; ended with load ${ended.split('load ')[1]}.`
}
