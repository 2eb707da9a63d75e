import { registry } from '#tables'
import { runCommand } from '../run-command.ts'
import { writeTriggers } from '../scaffold/lint/lint-live.ts'
import { runSmoke } from './run-smoke.ts'
import { readSmokeArguments, type SmokeArguments, smokeOptions, smokeUsage } from './smoke-options.ts'
import { findTarget } from './stage-target.ts'
import type { StepResult } from './steps.ts'

const marks = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

function printStep({ step, outcome, ms, detail, advice }: StepResult): void {
  console.log(`${marks[outcome].padEnd(8)}${String(ms).padStart(6)} ms  ${step}: ${detail}`)
  if (advice === undefined) return
  console.log(`${' '.repeat(19)}likely: ${advice.likely}`)
  console.log(`${' '.repeat(19)}fix:    ${advice.fix}`)
}

/** Returns whether an action is an export, which the structure does not say. The tables are those of this checkout. */
const isExport = (table: string, key: string): boolean =>
  registry.tables.get(table)?.bulkActions.find((action) => action.key === key)?.definition.export !== undefined

async function smoke(given: SmokeArguments): Promise<number> {
  const begin = performance.now()
  const { sendsMails, ...target } = await findTarget(given)
  if (!given.json) console.log(`Smoke test of ${target.baseUrl}`)
  const { table, toggle, waitMs } = given
  const mailTo = sendsMails ? given.mailTo : undefined
  const options = { table, toggle, waitMs, mailTo, isExport, liveTriggers: writeTriggers(registry) }
  const slow = (name: string) => console.error(`still waiting ...    ${name}`)
  const results = await runSmoke(target, options, given.json ? { ended: () => undefined } : { ended: printStep, slow })
  const seconds = Number(((performance.now() - begin) / 1_000).toFixed(1))
  const count = (outcome: StepResult['outcome']) => results.filter((one) => one.outcome === outcome).length
  console.log(
    given.json
      ? JSON.stringify({ seconds, steps: results }, null, 2)
      : `${results.length} steps: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, in ${seconds} s`,
  )
  return count('failed') === 0 ? 0 : 1
}

await runCommand(smokeUsage, { options: smokeOptions }, ({ values }) => smoke(readSmokeArguments(values)))
