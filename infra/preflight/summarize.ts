import type { Finding, Level } from './finding.ts'

const countFindings = (findings: readonly Finding[], level: Level): number =>
  findings.filter((one) => one.level === level).length

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** Counts the findings of each level in one line for a person. */
export function summarize(findings: readonly Finding[], seconds: number): string {
  const [errors, unknown, warnings] = (['error', 'unknown', 'warning'] as const).map((level) =>
    countFindings(findings, level),
  )
  const levels = `${plural(errors ?? 0, 'error')}, ${unknown} unknown, ${plural(warnings ?? 0, 'warning')}`
  return `${plural(findings.length, 'finding')}: ${levels}, in ${seconds} s`
}

/** Returns 1 if the deployment would fail or not work, 2 if a check could not be made and none failed, else 0. */
export function exitCodeFor(findings: readonly Finding[]): 0 | 1 | 2 {
  if (countFindings(findings, 'error') > 0) return 1
  return countFindings(findings, 'unknown') > 0 ? 2 : 0
}
