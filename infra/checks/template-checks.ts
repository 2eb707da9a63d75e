import type { Stage } from '../settings/stage-settings.ts'
import { findBudgetFaults } from './concurrency-budget.ts'
import { findOrderFaults } from './dependency-graph.ts'
import { parseTemplate } from './stage-template.ts'
import { findQuotaFaults } from './template-quotas.ts'

/** Checks a template that is about to be deployed. Throws one message that names each of its faults. */
export function checkTemplate(value: unknown, stage: Stage): void {
  const template = parseTemplate(value)
  const faults = [...findQuotaFaults(template), ...findOrderFaults(template), ...findBudgetFaults(template, stage)]
  if (faults.length > 0)
    throw new Error(`Stage ${stage.name} cannot be deployed:\n${faults.map((one) => `  ${one}`).join('\n')}`)
}
