import { assumed, type Figure, idle, measured, type Traffic, times } from './cost-inputs.ts'
import { headroom, limitsOf } from './cost-limits.ts'
import { byPart, costOf, totalOf } from './cost-model.ts'
import type { Deployed } from './cost-template.ts'
import { markdownTable } from './markdown-table.ts'
import { priceRegion, prices, quotas } from './prices.ts'

/** The traffic that is asked about, each by itself. */
const scenarios = {
  idle: idle,
  '1,000,000 queries': { ...idle, queries: 1_000_000 },
  '10,000 exports': { ...idle, exports: 10_000 },
  '10,000 sockets': { ...idle, sockets: 10_000 },
  'all three': { queries: 1_000_000, exports: 10_000, sockets: 10_000 },
} as const satisfies Readonly<Record<string, Traffic>>

const growths = [1, 10, 100, 1_000] as const

/** The tables of infra/README.md: what the stages cost, where their limits are, and of what that is made. */
export function costTables(deployed: readonly Deployed[]): string {
  const stages = deployed.flatMap((one) => [costTable(one), limitTable(one)])
  return [...stages, figureTable(), priceTable()].join('\n\n')
}

function costTable(deployed: Deployed): string {
  const columns = Object.values(scenarios).map((traffic) => costOf(deployed, traffic))
  const all = columns.at(-1) ?? []
  const rows = [...byPart(all).keys()].map((part) => [
    part,
    ...columns.map((lines, index) => {
      const standing = index === 0 ? 0 : (byPart(columns[0] ?? []).get(part) ?? 0)
      return money((byPart(lines).get(part) ?? 0) - (index === columns.length - 1 ? 0 : standing))
    }),
  ])
  const idles = totalOf(columns[0] ?? [])
  const totals = columns.map((lines, index) =>
    money(totalOf(lines) - (index === 0 || index === columns.length - 1 ? 0 : idles)),
  )
  const [first = '', ...others] = Object.keys(scenarios)
  const head = [
    `\`${deployed.stage.name}\`, USD a month`,
    first,
    ...others.slice(0, -1).map((name) => `+ ${name}`),
    'all',
  ]
  return markdownTable(head, [...rows, ['**in all**', ...totals.map((total) => `**${total}**`)]])
}

function limitTable(deployed: Deployed): string {
  const today = scenarios['all three']
  const limits = limitsOf(deployed)
  const head = [`\`${deployed.stage.name}\``, 'most', 'taken at 1 x', ...growths.slice(1).map((one) => `${one} x`)]
  const rows = headroom(limits, today).map(({ limit, taken, fits }) => [
    limit.name,
    `${number(limit.most)} ${limit.unit}`,
    number(taken),
    ...growths.slice(1).map((growth) => {
      const wanted = limit.taken(times(today, growth))
      return wanted <= limit.most ? 'fits' : `**${number(wanted)}**`
    }),
    fits >= 1_000_000 ? 'never' : `${number(fits)} x`,
    limit.movedBy,
  ])
  return markdownTable([...head, 'full at', 'moved by'], rows)
}

function figureTable(): string {
  const rows = (figures: Readonly<Record<string, Figure>>, kind: string) =>
    Object.entries(figures).map(([name, { value, unit, because }]) => [
      `\`${name}\``,
      `${value.toFixed(5).replace(/\.?0+$/, '')} ${unit}`,
      kind,
      because,
    ])
  return markdownTable(['figure', 'value', 'is', 'from'], [...rows(measured, 'measured'), ...rows(assumed, 'assumed')])
}

function priceTable(): string {
  const priced = Object.values(prices).map(({ usd, unit, source, date }) => [unit, scaled(usd), linked(source), date])
  const limited = Object.entries(quotas).map(([name, { value, source, date }]) => [
    `quota \`${name}\``,
    number(value),
    linked(source),
    date,
  ])
  return markdownTable([`per (${priceRegion})`, 'USD', 'source', 'date'], [...priced, ...limited])
}

const linked = (source: string): string =>
  source.startsWith('https:') ? `[${new URL(source).host}](${source})` : source
const money = (usd: number): string => (usd === 0 ? '' : usd < 0.005 ? '0.00' : usd.toFixed(2))
const scaled = (usd: number): string =>
  usd < 0.001 ? `${Number((usd * 1e6).toPrecision(6))} per million` : String(usd)

/** Three digits are more than the model knows. */
function number(value: number): string {
  if (value >= 1_000 || Number.isInteger(value)) return Math.round(Number(value.toPrecision(3))).toLocaleString('en')
  return String(Number(value.toPrecision(2)))
}

/** A table as the formatter of Markdown would leave it. */
