import { describe, expect, it } from 'vitest'
import { fitLaw, type LawName } from './growth-law.ts'
import { judge, type MemorySample } from './soak-assessment.ts'

const places = [10, 100, 1_000, 10_000, 100_000]

describe('the law of a growth', () => {
  it.each<[LawName, (x: number) => number]>([
    ['constant', () => 3],
    ['linear', (x) => 2 + x / 500],
    ['logarithmic', (x) => 1 + 4 * Math.log(x + 1)],
    ['log-linear', (x) => 1 + (x * Math.log(x + 1)) / 100],
  ])('is %s where the values are', (name, value) => {
    expect(fitLaw(places.map((x) => ({ x, y: value(x) }))).name).toBe(name)
  })

  it('bends where the growing part equals the rest', () => {
    expect(fitLaw(places.map((x) => ({ x, y: 2 + x / 500 }))).bend).toBeCloseTo(1_000, 3)
  })

  it('is constant for values that vary by chance or fall', () => {
    expect(fitLaw(places.map((x, index) => ({ x, y: [5, 4.6, 5.2, 4.8, 5][index] ?? 0 }))).name).toBe('constant')
    expect(fitLaw(places.map((x, index) => ({ x, y: 9 - index }))).name).toBe('constant')
  })
})

const load = { requests: { pages: 100 }, unexpected: [] }

/** An hour in which one value grows by so much a minute. */
const hour = (
  grown: Partial<Record<'heapMegabytes' | 'megabytes' | 'descriptors' | 'connections' | 'databaseMegabytes', number>>,
) =>
  Array.from({ length: 60 }, (_, minute): MemorySample => {
    const value = (base: number, key: keyof typeof grown) => base + (grown[key] ?? 0) * minute
    return {
      minute,
      heapMegabytes: value(90, 'heapMegabytes'),
      megabytes: value(300, 'megabytes'),
      descriptors: value(80, 'descriptors'),
      connections: value(12, 'connections'),
      databaseMegabytes: value(60, 'databaseMegabytes'),
      rows: { jobs: minute },
    }
  })

const failures = (assessments: ReturnType<typeof judge>) =>
  assessments.filter(({ flat }) => !flat).map(({ what }) => what)

describe('the assessment of a soak', () => {
  it('passes values that stay and rows that a retention removes', () => {
    expect(failures(judge(hour({}), { jobs: 0 }, load))).toEqual([])
  })

  it.each([
    ['heapMegabytes', 1, 'objects of the process after a collection (MB)'],
    ['descriptors', 1, 'descriptors of the process'],
    ['connections', 0.5, 'connections to the database'],
    ['databaseMegabytes', 1, 'memory of the database (MB)'],
  ] as const)('fails where %s grow by %d a minute', (key, perMinute, what) => {
    expect(failures(judge(hour({ [key]: perMinute }), { jobs: 0 }, load))).toEqual([what])
  })

  it('passes resident memory that grows, which is told', () => {
    const assessments = judge(hour({ megabytes: 2 }), { jobs: 0 }, load)
    expect(failures(assessments)).toEqual([])
    expect(assessments.find(({ what }) => what.startsWith('resident'))?.measured).toBe('390, +58.0 in the second half')
  })

  it('fails where rows outlive their retention', () => {
    expect(failures(judge(hour({}), { jobs: 1 }, load))).toEqual(['table_control.jobs'])
  })

  it('fails after an unexpected response', () => {
    expect(failures(judge(hour({}), { jobs: 0 }, { ...load, unexpected: ['pages: 500'] }))).toEqual([
      'unexpected responses',
    ])
  })
})
