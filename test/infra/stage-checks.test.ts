import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findBudgetFaults } from '../../infra/checks/concurrency-budget.ts'
import { findCycle, findOrderFaults } from '../../infra/checks/dependency-graph.ts'
import { findPropertyFaults } from '../../infra/checks/property-faults.ts'
import { parseTemplate, type StackTemplate, stageTemplate } from '../../infra/checks/stage-template.ts'
import { checkTemplate } from '../../infra/checks/template-checks.ts'
import { findQuotaFaults, measureQuotas } from '../../infra/checks/template-quotas.ts'
import { readSection } from '../../infra/figures/readme-section.ts'
import { stageFigures } from '../../infra/figures/stage-figures-table.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'

const stages = stageNames.map((name) => {
  const stage = stageNamed(name)
  return { stage, template: stageTemplate(stage) }
})
const [dev] = stages
if (dev === undefined) throw new Error('stages.ts has no stage')

/** A copy of a template of which `change` breaks something. */
function breakStage(change: (template: StackTemplate) => void): StackTemplate {
  const copy = structuredClone(dev?.template ?? parseTemplate({}))
  change(copy)
  return copy
}

/** The first resource of a type, as it stands in a template that is about to be broken. */
function findFirst(template: StackTemplate, type: string) {
  const found = Object.values(template.Resources).find(({ Type }) => Type === type)
  if (found === undefined) throw new Error(`there is no ${type}`)
  return found
}

describe.each(stages.map(({ stage, template }) => [stage.name, stage, template] as const))(
  'the template of stage %s',
  (_name, stage, template) => {
    it('keeps within every quota of CloudFormation, with room for the next change', () => {
      expect(findQuotaFaults(template)).toEqual([])
    })

    it('has only properties that AWS knows, each of its type, and all that are required', async () => {
      expect(await findPropertyFaults(template)).toEqual([])
    })

    it('can be created in an order, migrations before the functions that rely on them', () => {
      expect(findOrderFaults(template)).toEqual([])
    })

    it('lets functions open no more connections and reserve no more concurrency than there is', () => {
      expect(findBudgetFaults(template, stage)).toEqual([])
    })
  },
)

describe('infra/README.md', () => {
  it('has the figures of every stage as `npm run stages` prints them', async () => {
    const text = await readSection(new URL('../../infra/README.md', import.meta.url), 'npm run stages')
    expect(text, 'npm run stages -- --write').toBe(stageFigures(stages))
  })
})

describe('the check of quotas', () => {
  it('counts a dynamic reference as often as it is written', () => {
    const useQuota = (template: StackTemplate) =>
      measureQuotas(template).find(({ name }) => name === 'dynamic references')?.used
    const more = breakStage(({ Outputs }) => {
      Outputs['Twice'] = { Value: '{{resolve:ssm:a}}{{resolve:ssm:a}}' }
    })
    expect(useQuota(more)).toBe((useQuota(dev.template) ?? 0) + 2)
  })

  it('names a section of infra/README.md that says what to do', () => {
    const text = readFileSync(new URL('../../infra/README.md', import.meta.url), 'utf8')
    for (const { section } of measureQuotas(dev.template)) expect(text).toMatch(new RegExp(`^#+ ${section}$`, 'm'))
  })

  it.each<[string, (template: StackTemplate) => void]>([
    [
      'dynamic references',
      ({ Outputs }) => {
        Outputs['Many'] = { Value: '{{resolve:ssm:a}}'.repeat(46) }
      },
    ],
    ['resources', ({ Resources }) => fill(Resources, 451, { Type: 'AWS::SQS::Queue', Properties: {} })],
    ['outputs', ({ Outputs }) => fill(Outputs, 181, { Value: '' })],
    ['parameters', ({ Parameters }) => fill(Parameters, 181, { Type: 'String' })],
    ['mappings', ({ Mappings }) => fill(Mappings, 181, {})],
    [
      'attributes of a mapping',
      ({ Mappings }) => {
        Mappings['One'] = fillQuota(181, {})
      },
    ],
    [
      'bytes of the template',
      ({ Outputs }) => {
        Outputs['Long'] = { Value: 'x'.repeat(900_000) }
      },
    ],
    [
      'characters of a name',
      ({ Outputs }) => {
        Outputs['n'.repeat(256)] = { Value: '' }
      },
    ],
    [
      'bytes of the description',
      (template) => {
        template.Description = 'x'.repeat(1_000)
      },
    ],
  ])('refuses too many %s', (name, change) => {
    expect(findQuotaFaults(breakStage(change))).toEqual([expect.stringMatching(new RegExp(`^${name}: `))])
  })

  it('refuses more variables than Lambda takes, and longer policies than IAM takes', () => {
    const faults = findQuotaFaults(
      breakStage((template) => {
        findFirst(template, 'AWS::Lambda::Function').Properties['Environment'] = { Variables: { A: 'x'.repeat(4_000) } }
        findFirst(template, 'AWS::IAM::Policy').Properties['PolicyDocument'] = { Statement: ['x'.repeat(10_000)] }
      }),
    )
    expect(faults).toEqual([expect.stringContaining('variables: '), expect.stringContaining('policies: ')])
  })
})

const fillQuota = <Value>(count: number, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`One${index}`, value]))

const fill = <Value>(record: Record<string, Value>, count: number, value: Value): void => {
  Object.assign(record, fillQuota(count, value))
}

describe('the check of properties', () => {
  it.each<[string, (template: StackTemplate) => void, string]>([
    [
      'an unknown property',
      (of) => {
        findFirst(of, 'AWS::SQS::Queue').Properties['Colour'] = 'red'
      },
      'no property Colour',
    ],
    [
      'a wrong type',
      (of) => {
        findFirst(of, 'AWS::Lambda::Function').Properties['Timeout'] = 'long'
      },
      'Timeout: "long" is not',
    ],
    [
      'a missing property',
      (of) => {
        delete findFirst(of, 'AWS::Lambda::Function').Properties['Role']
      },
      'Role is missing',
    ],
    [
      'an unknown type',
      (of) => {
        findFirst(of, 'AWS::SQS::Queue').Type = 'AWS::SQS::Qeue'
      },
      'no resource type AWS::SQS::Qeue',
    ],
    [
      'an unknown property of a property',
      (of) => {
        findFirst(of, 'AWS::Lambda::Function').Properties['TracingConfig'] = { Mode: 'Active', Rate: 1 }
      },
      'TracingConfig: there is no property Rate',
    ],
    [
      'a wrong element of a list',
      (of) => {
        findFirst(of, 'AWS::Lambda::Function').Properties['Architectures'] = [64]
      },
      'Architectures.0: 64 is not',
    ],
  ])('names %s', async (_what, change, message) => {
    expect(await findPropertyFaults(breakStage(change))).toEqual([expect.stringContaining(message)])
  })
})

describe('the check of the order', () => {
  it('names the resources of a cycle', () => {
    const graph = new Map([
      ['A', new Set(['B'])],
      ['B', new Set(['C'])],
      ['C', new Set(['B'])],
    ])
    expect(findCycle(graph)).toEqual(['B', 'C', 'B'])
    const template = breakStage(({ Resources }) => {
      Resources['One'] = { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::GetAtt': ['Two', 'Arn'] } } }
      Resources['Two'] = { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Sub': `a-\${One}` } } }
    })
    expect(findOrderFaults(template)).toEqual(['resources wait for each other: One > Two > One'])
  })

  it('names each function that would run on tables that are not there yet', () => {
    const template = breakStage(({ Resources }) => {
      for (const one of Object.values(Resources)) {
        if (one.Type === 'AWS::Lambda::Function') delete one.DependsOn
      }
    })
    const faults = findOrderFaults(template)
    expect(faults.length).toBeGreaterThan(15)
    expect(faults.join()).toContain('logs in to the database, and does not wait for Migrations')
  })

  it('finds none where functions wait for a resource that waits for the migrations', () => {
    const template = breakStage(({ Resources }) => {
      const [migrations = ''] = Object.keys(Resources).filter((id) => id.startsWith('MigrationsStep'))
      const waiting = Object.values(Resources).filter(({ DependsOn }) => DependsOn?.includes(migrations))
      for (const one of waiting) one.DependsOn = ['Between']
      Resources['Between'] = { Type: 'AWS::SQS::Queue', Properties: {}, DependsOn: [migrations] }
    })
    expect(findOrderFaults(template)).toEqual([])
  })
})

describe('the check of the budget', () => {
  const withSettings = (settings: object) => ({ ...dev.stage, ...settings })

  it('refuses a function that opens connections and reserves nothing beside functions that do', () => {
    const template = breakStage(({ Resources }) => {
      const query = Object.values(Resources).find(({ Properties }) =>
        String(Properties['Description']).startsWith('functions/query-table.ts'),
      )
      delete query?.Properties['ReservedConcurrentExecutions']
    })
    expect(findBudgetFaults(template, dev.stage)).toEqual([expect.stringContaining('can open Infinity connections')])
  })

  it('refuses to reserve more than the quota of the account', () => {
    expect(findBudgetFaults(dev.template, withSettings({ accountConcurrency: 10 }))).toEqual([
      expect.stringMatching(/^functions reserve \d+ of 10 concurrent executions/),
    ])
  })

  it('counts the quota of the account, and a second connection of each worker, where nothing is reserved', () => {
    const personal = stages.find(({ stage }) => stage.reservedConcurrency === 'off')
    if (personal === undefined) throw new Error('there is no such stage')
    const { connections } = personal.stage.database
    const most = { ...personal.stage, accountConcurrency: connections - personal.stage.maxConcurrentReports }
    expect(findBudgetFaults(personal.template, most)).toEqual([])
    const more = { ...most, accountConcurrency: most.accountConcurrency + 1 }
    expect(findBudgetFaults(personal.template, more)).toEqual([
      `functions can open ${connections + 1} connections, of ${connections} (database.connections)`,
    ])
  })
})

describe('the synthesis', () => {
  it('names every fault of a stage at once', () => {
    const template = breakStage(({ Outputs }) => {
      Outputs['Many'] = { Value: '{{resolve:ssm:a}}'.repeat(46) }
    })
    expect(() => checkTemplate(template, { ...dev.stage, accountConcurrency: 10 })).toThrow(
      /^Stage dev cannot be deployed:\n {2}dynamic references: .*\n {2}functions reserve /,
    )
  })
})
