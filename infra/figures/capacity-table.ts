import { connectionsPerFunction } from '../settings/function-settings.ts'
import { findHeadroom, findLimits } from './cost-limits.ts'
import {
  assumed,
  databaseSeconds,
  idle,
  monthlyCalls,
  monthlyCosts,
  secondsPerMonth,
  totalCosts,
} from './cost-model.ts'
import type { DeployedStage } from './cost-template.ts'
import { markdownTable } from './markdown-table.ts'

/** Pages in each second of a month, without busier seconds. */
const rates = [10, 1_000, 100_000] as const

/** The largest writer that Aurora Serverless has. */
const maxUnits = 256
const shownLimits = 3

/** Returns a table of rates of pages, what each needs, and the limit of the stage that it meets first. */
export const capacityTable = (deployed: DeployedStage): string =>
  markdownTable(
    [
      'pages a second',
      'functions at once',
      'connections in use',
      'ACU of the writer',
      'USD a month',
      'largest part',
      'breaks first',
    ],
    rates.map((rate) => capacityRow(deployed, rate)),
  )

function capacityRow(deployed: DeployedStage, rate: number): readonly string[] {
  const traffic = { ...idle, queries: rate * secondsPerMonth }
  const call = monthlyCalls(deployed, traffic).find(({ name }) => name === 'query-table')
  const functions = rate * (call?.seconds ?? 0)
  const cores = databaseSeconds(traffic) / secondsPerMonth / assumed.maxDatabaseLoad
  const units = cores / assumed.coresPerUnit
  const costs = monthlyCosts(deployed, traffic)
  const [largest] = Object.entries(costs).sort(([, one], [, other]) => other - one)
  return [
    rate.toLocaleString('en'),
    count(functions),
    count(functions * connectionsPerFunction('query-table')),
    `${count(units)}${units > maxUnits ? ` (one writer has ${maxUnits})` : ''}`,
    count(totalCosts(costs)),
    `${largest?.[0]} ${count(largest?.[1] ?? 0)}`,
    findBroken(deployed, rate),
  ]
}

/**
 * Names the limits that the rate exceeds, the tightest first. Limits expect a month whose busiest second is ten times
 * its mean.
 */
function findBroken(deployed: DeployedStage, rate: number): string {
  const traffic = { ...idle, queries: (rate * secondsPerMonth) / assumed.peakFactor }
  const broken = findHeadroom(findLimits(deployed), traffic).filter(({ fits }) => fits < 1)
  const named = broken
    .slice(0, shownLimits)
    .map(({ limit, used }) => `${limit.name} (${count(used)} of ${count(limit.max)}, ${limit.movedBy})`)
  return named.length === 0 ? 'nothing' : named.join('; ')
}

/** Two digits: the model knows no more. */
const count = (value: number): string =>
  value >= 100 ? Math.round(Number(value.toPrecision(2))).toLocaleString('en') : String(Number(value.toPrecision(2)))
