import { type NamedToggle, takeActionSteps } from './action-steps.ts'
import { type JobStepOptions, takeJobSteps } from './job-steps.ts'
import { takeReadingSteps } from './reading-steps.ts'
import { takeRefusalSteps } from './refusal-steps.ts'
import type { SmokeTarget } from './service-call.ts'
import { createSteps, type StepReports, type StepResult } from './steps.ts'

export interface SmokeOptions extends JobStepOptions {
  /** The only table to try; default: all that the caller sees. */
  readonly table: string | undefined
  readonly toggle: NamedToggle | undefined
}

/** Tries every part of a running service once, one step after another. */
export async function runSmoke(
  target: SmokeTarget,
  options: SmokeOptions,
  reports: StepReports,
): Promise<readonly StepResult[]> {
  const steps = createSteps(reports)
  await takeRefusalSteps(steps, target)
  const tables = await takeReadingSteps(steps, target, options.table)
  await takeActionSteps(steps, target, tables, options)
  await takeJobSteps(steps, target, tables, options)
  return steps.results()
}
