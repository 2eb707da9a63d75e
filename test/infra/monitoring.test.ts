import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fullStage, listFunctions, referredTo, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

const full = synthesize(fullStage)
const small = synthesize(smallStage)
const stacks = [
  ['every setting', full],
  ['the fewest settings', small],
] as const

const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([])
const query = z.object({
  MetricStat: z
    .object({
      Metric: z.object({
        Namespace: z.string(),
        MetricName: z.string(),
        Dimensions: dimensions,
      }),
      Stat: z.string(),
    })
    .optional(),
})
const alarm = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).length(1),
  OKActions: z.array(z.unknown()).length(1),
  InsufficientDataActions: z.array(z.unknown()).default([]),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  TreatMissingData: z.string(),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions: dimensions,
  Metrics: z.array(query).default([]),
})
const listAlarms = ({ listResources }: typeof full) => [...listResources('AWS::CloudWatch::Alarm', alarm).values()]
const findAlarm = (name: string, of = full) => {
  const found = listAlarms(of).find(({ AlarmName }) => AlarmName === `table-control-test-${name}`)
  if (found === undefined) throw new Error(`there is no alarm ${name}`)
  return found
}

const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8')
const [, alarmsPart = ''] = /\n## Alarms\n(.*?)\n## /s.exec(runbook) ?? []
const sections = new Map(
  alarmsPart
    .split('\n### ')
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
)

describe('RUNBOOK.md', () => {
  it('has a section for every alarm, which names it', () => {
    for (const { AlarmName, AlarmDescription } of listAlarms(full)) {
      const section = /"(.*)"/.exec(AlarmDescription)?.[1] ?? ''
      expect(sections.get(section), AlarmDescription).toContain(`\`${AlarmName.replace('table-control-test-', '')}\``)
    }
  })

  it('has sections under "Alarms" for existing alarms only, each with what to look at and what to do', () => {
    const described = listAlarms(full).map(({ AlarmDescription }) => /"(.*)"/.exec(AlarmDescription)?.[1])
    expect([...sections.keys()].sort()).toEqual([...new Set(described)].sort())
    for (const text of sections.values()) expect(text).toMatch(/\*\*Look\*\*.*\*\*Do\*\*/s)
  })
})

/** Words of the runbook for parts that only some stages deploy, and whether a stage deploys them. */
const deployable: readonly (readonly [name: string, text: RegExp, isDeployed: boolean])[] = [
  ['Performance Insights', /performance insights/i, deploys('EnablePerformanceInsights":true')],
  ['logs of Postgres', /\/aws\/rds\/|log export/i, deploys('EnableCloudwatchLogsExports')],
  ['pg_stat_statements', /pg_stat_statements/i, deploys('pg_stat_statements')],
  ['provisioned concurrency', /provisioned concurrency/i, deploys('AWS::Lambda::Alias')],
  [
    'a key of ours for the cluster',
    /(cluster|database)'s (own )?key|\bkey\b[^.;,]*\b(when|while|until)\b[^.;]*\bsnapshot\b/i,
    deploys('DBCluster","Properties":{[^}]*KmsKeyId'),
  ],
  ['RDS Proxy', /rds proxy/i, deploys('AWS::RDS::DBProxy')],
  ['a canary', /synthetics|canary/i, deploys('AWS::Synthetics::Canary')],
]

function deploys(text: string): boolean {
  return JSON.stringify(full.template.toJSON()).includes(text)
}

describe('what RUNBOOK.md names', () => {
  it.each(deployable)('is deployed: %s', (_name, text, isDeployed) => {
    expect(text.test(runbook) && !isDeployed).toBe(false)
  })

  it('are outputs of the stack, where it is set in italics', () => {
    const outputs = [...runbook.matchAll(/(?<![\w`])_([A-Z]\w+)_(?!\w)/g)].map(([, output]) => output)
    expect(outputs.length).toBeGreaterThan(0)
    for (const output of outputs) expect(Object.keys(full.outputs)).toContain(output)
  })

  it('are tests that there are', () => {
    const files = [...runbook.matchAll(/`(test\/[\w/.-]+\.ts)`/g)].map(([, file]) => file)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true)
  })
})

describe.each(stacks)('a stage with %s', (_, of) => {
  it('notifies one topic, which is encrypted, of every alarm and of its end', () => {
    for (const { AlarmActions, OKActions } of listAlarms(of)) {
      expect(new Set([...AlarmActions, ...OKActions].map(referredTo))).toEqual(new Set([listAlerts(of)]))
    }
  })

  it('has alarms on the metrics of its functions, in the namespace in which they write them', () => {
    const own = listAlarms(of)
      .flatMap(metricsIn)
      .filter(({ Namespace }) => Namespace === 'TableControl/test')
    expect(own.length).toBeGreaterThan(0)
    for (const [, { Environment }] of listFunctions(of)) {
      expect(Environment.Variables['METRICS_NAMESPACE']).toBe('TableControl/test')
    }
  })

  it('has no alarm of more than ten metrics, which CloudWatch refuses', () => {
    for (const { Metrics } of listAlarms(of)) expect(Metrics.length).toBeLessThanOrEqual(10)
  })

  it('traces every function', () => {
    const traced = { TracingConfig: { Mode: 'Active' } }
    expect(() => of.template.allResourcesProperties('AWS::Lambda::Function', traced)).not.toThrow()
  })
})

const listAlerts = ({ outputs }: typeof full): string => referredTo(outputs['AlertsTopicArn']?.Value)
const metricsIn = ({ Namespace = '', MetricName = '', Dimensions, Metrics }: z.output<typeof alarm>) => [
  ...(MetricName === '' ? [] : [{ Namespace, MetricName, Dimensions }]),
  ...Metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric])),
]

describe('alarms', () => {
  it('take missing values for good ones, but for the sweep, whose silence is notified once it has spoken', () => {
    for (const { AlarmName, TreatMissingData, InsufficientDataActions } of listAlarms(full)) {
      const ofSweep = AlarmName.endsWith('-Sweep')
      expect(TreatMissingData).toBe(ofSweep ? 'missing' : 'notBreaching')
      expect(InsufficientDataActions).toHaveLength(ofSweep ? 1 : 0)
    }
  })

  it('watch the share of requests that the service or API Gateway answers 429, by the access log', () => {
    const filter = z.object({
      LogGroupName: z.unknown(),
      FilterPattern: z.string(),
      MetricTransformations: z
        .array(z.object({ MetricNamespace: z.string(), MetricName: z.string(), MetricValue: z.string() }))
        .length(1),
    })
    for (const [, of] of stacks) {
      const [one, ...others] = of.listResources('AWS::Logs::MetricFilter', filter).values()
      expect([one?.FilterPattern, others]).toEqual(['{ $.status = "429" }', []])
      const group = z.object({ LogGroupName: z.unknown().optional() })
      const logged = of.listResources('AWS::Logs::LogGroup', group).get(referredTo(one?.LogGroupName))
      expect(logged?.LogGroupName).toBe('/aws/vendedlogs/apigateway/table-control-test-http')
      const [{ MetricNamespace, MetricName, MetricValue } = {}] = one?.MetricTransformations ?? []
      expect(MetricValue).toBe('1')
      const alarmed = findAlarm('TooManyRequests', of)
      expect(metricsIn(alarmed).map((metric) => `${metric.Namespace} ${metric.MetricName}`)).toEqual([
        `${MetricNamespace} ${MetricName}`,
        'AWS/ApiGateway Count',
      ])
    }
  })

  it('watch every function but the worker for throttling', () => {
    const alarms = listAlarms(full).filter(({ AlarmName }) => AlarmName.includes('Throttles'))
    const watched = alarms
      .flatMap(metricsIn)
      .flatMap(({ Dimensions }) => Dimensions.map(({ Value }) => referredTo(Value)))
    const functions = [...listFunctions(full)].filter(([name]) => name !== 'report-worker' && name !== 'migrate')
    expect(watched.sort()).toEqual(functions.map(([, { id }]) => id).sort())
    for (const { Threshold, EvaluationPeriods } of alarms) expect([Threshold, EvaluationPeriods]).toEqual([10, 2])
  })

  it('begin where a stage says', () => {
    const moved = [
      ['errorPercent', 0.5, { Errors: 0.5 }],
      ['refusedPercent', 6, { TooManyRequests: 6 }],
      ['latencyMs', 700, { Latency: 700 }],
      ['oldestMessageMinutes', 7, { OldestMessage: 420 }],
      ['jobsFailed', 8, { JobsFailed: 8 }],
      ['mailsFailed', 9, { MailsFailed: 9 }],
      ['bouncePercent', 1, { Bounces: 0.01 }],
      ['complaintPercent', 0.02, { Complaints: 0.0002 }],
      ['throttles', 11, { Throttles1: 11, Throttles2: 11, Throttles3: 11 }],
      ['socketErrors', 12, { Sockets: 12 }],
      ['databasePercent', 50, { DatabaseConnections: 150, DatabaseProcessor: 50, DatabaseSize: 50 }],
    ] as const
    const given = Object.fromEntries(moved.map(([setting, value]) => [setting, value]))
    const strict = synthesize({ ...fullStage, serviceName: 'shop', alarms: { notify: ['ops@example.com'], ...given } })
    const watched = [...strict.listResources('AWS::CloudWatch::Alarm', z.unknown()).values()]
    const services = JSON.stringify(watched).match(/"Name":"service","Value":"\w+"/g)
    expect([...new Set(services)]).toEqual(['"Name":"service","Value":"shop"'])
    const expected = Object.assign({}, ...moved.map(([, , thresholds]) => thresholds))
    const names = Object.keys(expected)
    expect(Object.fromEntries(names.map((name) => [name, findAlarm(name, strict).Threshold]))).toEqual(expected)
    strict.template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' })
    expect(() => synthesize({ ...fullStage, alarms: { errorPercent: 200 } })).toThrow('stages.test.alarms.errorPercent')
  })
})

describe('a stage without monitoring', () => {
  it('has neither alarms nor a dashboard nor their topic', () => {
    const quiet = synthesize({ ...smallStage, monitoring: 'off' })
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::SNS::Topic'])
      quiet.template.resourceCountIs(type, 0)
    expect(quiet.outputs).not.toHaveProperty('AlertsTopicArn')
  })
})

describe('a budget', () => {
  it('sends mails to the addresses of `alarms.notify`, and needs at least one', () => {
    const { template } = synthesize({ ...smallStage, alarms: { notify: ['ops@example.com'], monthlyBudget: 30 } })
    const beyond = (NotificationType: string, Threshold: number) => ({
      Notification: { NotificationType, Threshold, ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' },
      Subscribers: [{ Address: 'ops@example.com', SubscriptionType: 'EMAIL' }],
    })
    template.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetLimit: { Amount: 30, Unit: 'USD' }, TimeUnit: 'MONTHLY', BudgetType: 'COST' },
      NotificationsWithSubscribers: [beyond('ACTUAL', 80), beyond('FORECASTED', 100)],
    })
    expect(() => synthesize({ ...smallStage, alarms: { monthlyBudget: 30 } })).toThrow('alarms.notify: needed beside')
    synthesize(smallStage).template.resourceCountIs('AWS::Budgets::Budget', 0)
  })

  it('gets another name with other addresses, because CloudFormation then creates it before it removes the first', () => {
    const budget = z.object({ Budget: z.object({ BudgetName: z.string() }) })
    const findName = (monthlyBudget: number, ...notify: string[]) => {
      const { listResources } = synthesize({ ...smallStage, alarms: { notify, monthlyBudget } })
      return [...listResources('AWS::Budgets::Budget', budget).values()][0]?.Budget.BudgetName
    }
    const first = findName(30, 'ops@example.com')
    expect(first).toMatch(/^table-control-test-/)
    expect(findName(40, 'ops@example.com')).toBe(first)
    expect(findName(30, 'ops@example.com', 'finance@example.com')).not.toBe(first)
  })
})

describe('the dashboard', () => {
  it.each(stacks)('shows all alarms, requests, jobs and mails, of a stage with %s', (_, of) => {
    const dashboard = z.object({ DashboardName: z.literal('table-control-test'), DashboardBody: z.unknown() })
    const [{ DashboardBody } = { DashboardBody: '' }] = of
      .listResources('AWS::CloudWatch::Dashboard', dashboard)
      .values()
    const body = JSON.stringify(DashboardBody)
    for (const name of ['alarms', 'Requests', 'AuthUnavailable', 'QueueAge', 'MailsUnknown', 'Pushes', 'Throttles']) {
      expect(body).toContain(name)
    }
    expect(body.includes('ServerlessDatabaseCapacity')).toBe(of === full)
  })
})
