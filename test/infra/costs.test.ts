import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assumed, idle, maxAttachedBytes, measured, type Traffic, times } from '../../infra/figures/cost-inputs.ts'
import { headroom, limitsOf } from '../../infra/figures/cost-limits.ts'
import { costOf, totalOf } from '../../infra/figures/cost-model.ts'
import { costTables } from '../../infra/figures/cost-tables.ts'
import { deployedOf } from '../../infra/figures/cost-template.ts'
import { prices, quotas } from '../../infra/figures/prices.ts'
import { type FunctionName, functionSettings, reservedConcurrency } from '../../infra/settings/function-settings.ts'
import { parseStage } from '../../infra/settings/stage-settings.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { maxAttachedBytes as attachedByMails } from '../../lib/mail/report-mail.ts'
import { fullStage, smallStage } from '../support/synthesized-stack.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const full = deployedOf(parseStage('full', fullStage))
const small = deployedOf(parseStage('small', smallStage))
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
  const costs = (of: Traffic) => totalOf(costOf(deployed, of))
  const idleCosts = costs(idle)

  it('of twice the traffic are at most twice, and idle ones are paid once', () => {
    fc.assert(
      fc.property(traffic, (of) => {
        expect(costs(times(of, 2)) - idleCosts).toBeGreaterThanOrEqual((costs(of) - idleCosts) * 2 - 1e-6)
        expect(costs(times(of, 2))).toBeLessThanOrEqual(costs(of) * 2 + 1e-6)
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

  it('count each thing once', () => {
    const lines = costOf(deployed, asked)
    expect(new Set(lines.map(({ price }) => price)).size).toBe(lines.length)
    for (const { price, quantity, usd } of lines) expect(usd).toBeCloseTo(quantity * prices[price].usd, 9)
  })
})

describe('an existing database', () => {
  it('costs nothing here, and neither does a network', () => {
    const parts = costOf(small, asked).map(({ part }) => part)
    expect(parts).not.toContain('Aurora')
    expect(parts).not.toContain('NAT gateways')
    expect(costOf(full, asked).map(({ part }) => part)).toEqual(expect.arrayContaining(['Aurora', 'NAT gateways']))
  })
})

describe.each(everyStage)('the limits of a stage with %s', (_name, deployed) => {
  const { stage } = deployed
  const limits = limitsOf(deployed)
  const most = (name: string) => limits.find((limit) => limit.name === name)?.most

  it('are those of its template', () => {
    const given = { connections: stage.database.connections, maxConcurrentReports: stage.maxConcurrentReports }
    expect(most('HTTP API')).toBe(stage.requestsPerSecond)
    expect(most('WebSocket API')).toBe(stage.requestsPerSecond)
    expect(most('`report-worker` at once')).toBe(stage.maxConcurrentReports)
    expect(most('connections of the database')).toBe(stage.database.connections)
    for (const name of ['query-table', 'bulk-table-action', 'socket-connect'] as const)
      expect(most(`\`${name}\` at once`)).toBe(reservedConcurrency(name, given))
    for (const name of Object.keys(functionSettings) as FunctionName[])
      expect(deployed.memoryMb[name]).toBe(functionSettings[name].memoryMb)
  })

  it('are taken in proportion to the traffic', () => {
    for (const { taken } of limits) expect(taken(times(asked, 100))).toBeCloseTo(taken(asked) * 100, 6)
  })

  it('are met in the order of their headroom: nothing is full before the first one', () => {
    fc.assert(
      fc.property(traffic, (of) => {
        const [first, ...others] = headroom(limits, of)
        if (first === undefined || !Number.isFinite(first.fits)) return
        const atLimit = times(of, first.fits)
        expect(first.limit.taken(atLimit)).toBeCloseTo(first.limit.most, 4)
        for (const { limit } of others) expect(limit.taken(atLimit)).toBeLessThanOrEqual(limit.most * (1 + 1e-9))
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

describe('a stage with a higher setting', () => {
  const first = (settings: object, of: Traffic) =>
    headroom(limitsOf(deployedOf(parseStage('more', { ...fullStage, ...settings }))), of)[0]?.limit.name

  it.each([
    ['maxConcurrentReports', 2, 20, { ...idle, exports: 10_000 }, '`report-worker` at once'],
    ['requestsPerSecond', 50, 5_000, { ...idle, sockets: 10_000 }, 'WebSocket API'],
  ] as const)('of %s is first full of something else', (setting, low, high, of, limit) => {
    expect(first({ [setting]: low }, of)).toBe(limit)
    expect(first({ [setting]: high }, of)).not.toBe(limit)
  })
})

describe('what the model is made of', () => {
  it('has a source and a date for every price and quota', () => {
    for (const { source, date } of [...Object.values(prices), ...Object.values(quotas)]) {
      expect(source).toMatch(/^https:\/\/|^from memory, to be checked$/)
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
    }
  })

  it('takes what is measured from questions that test/bench/README.md answers', () => {
    const bench = textOf('test/bench/README.md')
    for (const { because } of Object.values(measured)) {
      const question = /^`([\w-]+)`/.exec(because)?.[1]
      expect(bench).toContain(`### ${question}:`)
    }
  })

  it('attaches to mails what mails may carry', () => {
    expect(maxAttachedBytes).toBe(attachedByMails)
    expect(assumed.pingSeconds.value * 1_000).toBe(
      Number(/"ping"\}'\)\s*\}, ([\d_]+)\)/.exec(textOf('functions/README.md'))?.[1]?.replaceAll('_', '')),
    )
  })

  it('is printed in infra/README.md as `npm run costs` prints it', () => {
    const printed = costTables(stageNames.map((name) => deployedOf(stageNamed(name))))
    expect(textOf('infra/README.md'), 'npm run costs -- --write').toContain(printed)
  })

  it('is what README.md says in round figures', () => {
    const told = [...textOf('README.md').matchAll(/(\d+) USD/g)].map(([, usd]) => Number(usd))
    const [dev, production] = ['dev', 'production'].map((name) => deployedOf(stageNamed(name)))
    if (dev === undefined || production === undefined) throw new Error('stages.ts has other stages')
    const idles = [dev, production, small].map((deployed) => totalOf(costOf(deployed, idle)))
    const added = (['queries', 'exports', 'sockets'] as const).map(
      (kind) => totalOf(costOf(dev, { ...idle, [kind]: asked[kind] })) - totalOf(costOf(dev, idle)),
    )
    expect(told).toHaveLength(6)
    for (const [index, usd] of [...idles, ...added].entries())
      expect(Math.abs(usd / (told[index] ?? 0) - 1)).toBeLessThan(0.2)
  })
})
