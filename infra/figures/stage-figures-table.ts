import { concurrencyBudget } from '../checks/concurrency-budget.ts'
import type { StackTemplate } from '../checks/stage-template.ts'
import { measureQuotas } from '../checks/template-quotas.ts'
import type { Stage } from '../settings/stage-settings.ts'
import { markdownTable } from './markdown-table.ts'

export interface SynthesizedStage {
  readonly stage: Stage
  readonly template: StackTemplate
}

/** Returns a Markdown table of what each stage uses of each quota. */
export function stageFigures(stages: readonly SynthesizedStage[]): string {
  const uses = stages.map(({ template }) => measureQuotas(template))
  const budgets = stages.map(({ stage, template }) => ({ stage, ...concurrencyBudget(template, stage) }))
  const quotaRows = (uses[0] ?? []).map(({ name, allowed, quota }, index) => [
    name,
    ...uses.map((of) => figure(name, of[index]?.used ?? 0)),
    figure(name, allowed),
    figure(name, quota),
  ])
  const budgetRows = [
    [
      'connections that functions can open',
      ...budgets.map(({ connections, stage }) => `${connections} of ${stage.database.connections}`),
    ],
    [
      'concurrency that functions reserve',
      ...budgets.map(({ reserved, stage }) => `${reserved} of ${stage.accountConcurrency.toLocaleString('en')}`),
    ],
  ]
  const head = ['of a template', ...stages.map(({ stage }) => `\`${stage.name}\``), 'allowed here', 'quota of AWS']
  return markdownTable(head, [...quotaRows, ...budgetRows.map((row) => [...row, '', ''])])
}

/** Sizes are rounded to kilobytes, which small changes do not move. */
const figure = (name: string, value: number): string =>
  name.startsWith('bytes of the template') ? `${Math.round(value / 1_000)} KB` : value.toLocaleString('en')
