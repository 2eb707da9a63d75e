import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stageTemplate } from '../../infra/checks/stage-template.ts'
import { findHeadroom, findLimits } from '../../infra/figures/cost-limits.ts'
import {
  assumed,
  idle,
  monthlyCosts,
  multiplyTraffic,
  type Traffic,
  totalCosts,
} from '../../infra/figures/cost-model.ts'
import { costTables, scenarios } from '../../infra/figures/cost-tables.ts'
import { readDeployed } from '../../infra/figures/cost-template.ts'
import { type LiveLoad, liveLoads, liveWork, monthlyLiveCosts } from '../../infra/figures/live-costs.ts'
import { readSection } from '../../infra/figures/readme-section.ts'
import { type FunctionName, functionSettings, reservedConcurrency } from '../../infra/settings/function-settings.ts'
import { parseStage } from '../../infra/settings/stage-settings.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { fullStage, smallStage } from '../support/infra/synthesized-stack.ts'

const formatCosts = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const full = readDeployed(parseStage('full', fullStage))
const small = readDeployed(parseStage('small', smallStage))
const everyStage = [
  ['every setting', full],
  ['the fewest settings', small],
] as const

const asked: Traffic = { queries: 1_000_000, exports: 10_000, sockets: 10_000 }
const traffic = fc.record({
  queries: fc.nat(1e9),
  exports: fc.nat(1e6),
  sockets: fc.nat(1e6),
})

describe.each(everyStage)('the costs of a stage with %s', (_name, deployed) => {
  const costs = (of: Traffic) => totalCosts(monthlyCosts(deployed, of))

  it('are at most doubled by twice the traffic', () => {
    fc.assert(
      fc.property(traffic, (of) => {
        expect(costs(multiplyTraffic(of, 2))).toBeLessThanOrEqual(costs(of) * 2 + 1e-6)
      }),
    )
  })

  it.each(['queries', 'exports', 'sockets'] as const)('never fall when there are more %s', (kind) => {
    fc.assert(
      fc.property(traffic, fc.integer({ min: 1, max: 1e6 }), (of, more) => {
        expect(costs({ ...of, [kind]: of[kind] + more })).toBeGreaterThan(costs(of))
      }),
    )
  })
})

it('an existing database and its network cost nothing here', () => {
  const [none, both] = [small, full].map((deployed) => monthlyCosts(deployed, asked))
  expect(none).toMatchObject({ Database: 0, 'NAT gateways': 0 })
  expect(both?.['Database']).toBeGreaterThan(0)
  expect(both?.['NAT gateways']).toBeGreaterThan(0)
})

it('nearly every call is traced while there is less than one in a second', () => {
  const traces = monthlyCosts(small, { ...idle, queries: 1_000_000 })['Traces'] ?? 0
  expect(traces).toBeGreaterThan(4)
  expect(traces).toBeLessThan(5)
})

it('an alarm on an expression is paid for each metric in it', () => {
  const { Resources } = stageTemplate(full.stage)
  const alarms = Object.values(Resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
  expect(full.alarmMetrics).toBeGreaterThan(alarms.length)
})

describe.each(everyStage)('the limits of a stage with %s', (_name, deployed) => {
  const { stage } = deployed
  const limits = findLimits(deployed)
  const max = (name: string) => limits.find((limit) => limit.name === name)?.max

  it('are those of its template', () => {
    const given = { connections: stage.database.connections, maxConcurrentReports: stage.maxConcurrentReports }
    expect(max('HTTP API')).toBe(stage.requestsPerSecond)
    expect(max('WebSocket API')).toBe(stage.requestsPerSecond)
    expect(max('`report-worker` at once')).toBe(stage.maxConcurrentReports)
    expect(max('connections of the database')).toBe(stage.database.connections)
    for (const name of ['query-table', 'bulk-table-action', 'socket-connect'] as const)
      expect(max(`\`${name}\` at once`)).toBe(reservedConcurrency(name, given))
    for (const name of Object.keys(functionSettings) as FunctionName[])
      expect(deployed.memoryMb[name]).toBe(functionSettings[name].memoryMb)
  })

  it('count ten calls a second for each function that may run at once', () => {
    for (const [name, reserved] of Object.entries(deployed.reserved))
      if (reserved !== undefined && max(`calls of \`${name}\``) !== undefined)
        expect(max(`calls of \`${name}\``)).toBe(10 * reserved)
    expect(max("the account's calls of functions")).toBe(10 * stage.accountConcurrency)
  })

  it('are used in proportion to the traffic', () => {
    for (const { countUsed } of limits)
      expect(countUsed(multiplyTraffic(asked, 100))).toBeCloseTo(countUsed(asked) * 100, 6)
  })

  it('are met in the order of their headroom: nothing is full before the first one', () => {
    fc.assert(
      fc.property(traffic, (of) => {
        const [first, ...others] = findHeadroom(limits, of)
        if (first === undefined || !Number.isFinite(first.fits)) return
        const atLimit = multiplyTraffic(of, first.fits)
        expect(first.limit.countUsed(atLimit)).toBeCloseTo(first.limit.max, 4)
        for (const { limit } of others) expect(limit.countUsed(atLimit)).toBeLessThanOrEqual(limit.max * (1 + 1e-9))
      }),
    )
  })

  it('name a setting that there is, or a quota', () => {
    const settings = new Set([...Object.keys(stage), ...Object.keys(stage.database).map((key) => `database.${key}`)])
    for (const { movedBy } of limits) {
      const setting = /^`(.+)`$/.exec(movedBy)?.[1]
      if (setting === undefined) expect(movedBy).toMatch(/^quota of /)
      else expect(settings).toContain(setting)
    }
  })
})

describe('the costs of live rows', () => {
  const costs = (load: LiveLoad) => totalCosts(monthlyLiveCosts(full, load))
  const watched: LiveLoad = { pages: 1_000, windows: 50, changesPerSecond: 100, isLive: false }

  it('are none while no page watches', () => {
    expect(costs(liveLoads['no page watches'])).toBe(0)
  })

  it('are those of the poll for a live table that is watched and does not change', () => {
    const still: LiveLoad = { pages: 1, windows: 1, changesPerSecond: 0, isLive: true }
    expect(costs(still)).toBeGreaterThan(20 * costs({ ...still, isLive: false }))
    const many = costs({ ...still, pages: 1_000 }) - costs({ ...still, pages: 1_000, isLive: false })
    // Traces do not add up: one call of each second is traced in any case.
    expect(many / costs(still)).toBeCloseTo(1, 0)
  })

  it.each([
    [50, 1_294, 0.53],
    [1_000, 97, 0.4],
  ])('count the messages and the processor time that were measured with %i windows', (windows, messages, cores) => {
    const pauseSeconds = 0.5
    const work = liveWork({ ...watched, windows }, pauseSeconds)
    expect(work.messages / messages).toBeCloseTo(1, 1)
    expect(work.workerCores / cores).toBeGreaterThan(0.8)
    expect(work.workerCores / cores).toBeLessThan(1.25)
    expect(work.workerSeconds).toBe(1)
  })

  it('never fall when there are more changes or pages', () => {
    fc.assert(
      fc.property(
        fc.nat(1e5),
        fc.integer({ min: 1, max: 1e4 }),
        fc.integer({ min: 1, max: 1e4 }),
        (rate, pages, more) => {
          const load: LiveLoad = { pages, windows: 1, changesPerSecond: rate / 100, isLive: false }
          // With more changes fewer calls are begun anew, and traced: a worker goes on.
          expect(costs({ ...load, changesPerSecond: (rate + more) / 100 })).toBeGreaterThan(costs(load) - 15)
          expect(costs({ ...load, pages: pages + more })).toBeGreaterThan(costs(load))
        },
      ),
    )
  })
})

describe('a stage with a higher setting', () => {
  const first = (settings: object, of: Traffic) =>
    findHeadroom(findLimits(readDeployed(parseStage('more', { ...fullStage, ...settings }))), of)[0]?.limit.name

  it.each([
    ['maxConcurrentReports', 2, 20, { ...idle, exports: 10_000 }, '`report-worker` at once'],
    ['requestsPerSecond', 50, 5_000, { ...idle, sockets: 10_000 }, 'WebSocket API'],
  ] as const)('reaches another limit first with a higher %s', (setting, low, high, of, limit) => {
    expect(first({ [setting]: low }, of)).toBe(limit)
    expect(first({ [setting]: high }, of)).not.toBe(limit)
  })
})

describe('the tables of the costs', () => {
  it('assume the pings of the client in functions/README.md', () => {
    expect(assumed.pingSeconds * 1_000).toBe(
      Number(/"ping"\}'\)\s*\}, ([\d_]+)\)/.exec(formatCosts('functions/README.md'))?.[1]?.replaceAll('_', '')),
    )
  })

  it('are in infra/README.md as `npm run costs` prints them', async () => {
    const printed = costTables(stageNames.map((name) => readDeployed(stageNamed(name))))
    const text = await readSection(new URL('../../infra/README.md', import.meta.url), 'npm run costs')
    expect(text, 'npm run costs -- --write').toBe(printed)
  })

  it('agree with the round figures of README.md', () => {
    const figures = [...formatCosts('README.md').matchAll(/(\d+) USD/g)].map(([, usd]) => Number(usd))
    const [dev, production] = ['dev', 'production'].map((name) => readDeployed(stageNamed(name)))
    if (dev === undefined || production === undefined) throw new Error('stages.ts has other stages')
    const idles = [dev, production, small].map((deployed) => totalCosts(monthlyCosts(deployed, idle)))
    const added = Object.values(scenarios).map(
      (of) => totalCosts(monthlyCosts(dev, of)) - totalCosts(monthlyCosts(dev, idle)),
    )
    expect(figures).toHaveLength(6)
    for (const [index, usd] of [...idles, ...added].entries())
      expect(Math.abs(usd / (figures[index] ?? 0) - 1)).toBeLessThan(0.2)
  })
})
