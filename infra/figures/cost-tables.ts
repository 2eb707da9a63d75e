import { capacityTable } from './capacity-table.ts'
import { findHeadroom, findLimits } from './cost-limits.ts'
import { idle, monthlyCosts, type Traffic, totalCosts } from './cost-model.ts'
import type { DeployedStage } from './cost-template.ts'
import { liveLoads, monthlyLiveCosts } from './live-costs.ts'
import { markdownTable } from './markdown-table.ts'

/** The traffic of the tables. The costs of each are those beyond an idle month. */
export const scenarios = {
  '1,000,000 pages': { ...idle, queries: 1_000_000 },
  '10,000 exports': { ...idle, exports: 10_000 },
  '10,000 live pages': { ...idle, sockets: 10_000 },
} as const satisfies Readonly<Record<string, Traffic>>

const everything: Traffic = { queries: 1_000_000, exports: 10_000, sockets: 10_000 }

/**
 * Returns the tables of infra/README.md: the costs of each stage and of live rows, the limits that it meets first, and
 * what more and more pages need of the largest stage.
 */
export function costTables(stages: readonly DeployedStage[]): string {
  const production = stages.filter(({ stage }) => stage.name === 'production')
  const live = production.map(liveTable)
  return [...stages.map(costTable), ...live, limitTable(stages), ...production.map(capacityTable)].join('\n\n')
}

function costTable(deployed: DeployedStage): string {
  const standing = monthlyCosts(deployed, idle)
  const added = Object.values(scenarios).map((traffic) => monthlyCosts(deployed, traffic))
  const parts = Object.keys(standing).filter((part) => [standing, ...added].some((costs) => (costs[part] ?? 0) > 0))
  const rows = parts.map((part) => [
    part,
    money(standing[part] ?? 0),
    ...added.map((costs) => money((costs[part] ?? 0) - (standing[part] ?? 0))),
  ])
  const total = totalCosts(standing)
  const totals = [total, ...added.map((costs) => totalCosts(costs) - total)].map((usd) => `**${money(usd)}**`)
  const head = [`\`${deployed.stage.name}\`, USD a month`, 'idle', ...Object.keys(scenarios).map((name) => `+ ${name}`)]
  return markdownTable(head, [...rows, ['**total**', ...totals]])
}

function liveTable(deployed: DeployedStage): string {
  const loads = Object.entries(liveLoads)
  const costs = loads.map(([, load]) => monthlyLiveCosts(deployed, load))
  const parts = Object.keys(costs[0] ?? {}).filter((part) => costs.some((of) => money(of[part] ?? 0) !== ''))
  const rows = parts.map((part) => [part, ...costs.map((of) => money(of[part] ?? 0))])
  const totals = costs.map((of) => `**${totalCosts(of).toFixed(2)}**`)
  const head = ['live rows of a table, USD a month', ...loads.map(([name]) => name)]
  return markdownTable(head, [...rows, ['**total**', ...totals]])
}

const limitsShown = 5

function limitTable(stages: readonly DeployedStage[]): string {
  const rows = stages.flatMap((deployed) =>
    findHeadroom(findLimits(deployed), everything)
      .slice(0, limitsShown)
      .map(({ limit, used, fits }) => [
        `\`${deployed.stage.name}\``,
        limit.name,
        `${number(limit.max)} ${limit.unit}`,
        number(used),
        `${number(fits)} x`,
        limit.movedBy,
      ]),
  )
  return markdownTable(['stage', 'limit', 'most', 'used', 'full at', 'moved by'], rows)
}

const money = (usd: number): string => (usd < 0.005 ? '' : usd.toFixed(2))

/** Two digits: the model knows no more. */
function number(value: number): string {
  if (value >= 1_000 || Number.isInteger(value)) return Math.round(Number(value.toPrecision(3))).toLocaleString('en')
  return String(Number(value.toPrecision(2)))
}
