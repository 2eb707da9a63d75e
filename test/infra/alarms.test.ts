import { expect, it } from 'vitest'
import * as z from 'zod'
import { fullStage, referredTo, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

const full = synthesize(fullStage)
const instance = synthesize({
  ...smallStage,
  database: { kind: 'instance', instanceType: 't4g.small', connections: 100, natGateways: 1 },
})

const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([])
const query = z.object({
  Id: z.string(),
  Expression: z.string().optional(),
  MetricStat: z
    .object({
      Metric: z.object({ Namespace: z.string(), MetricName: z.string(), Dimensions: dimensions }),
      Stat: z.string(),
      Period: z.number(),
    })
    .optional(),
})
const alarm = z.object({
  AlarmName: z.string(),
  ComparisonOperator: z.enum(['GreaterThanThreshold', 'GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  Metrics: z.array(query).default([]),
  Namespace: z.string().default(''),
  MetricName: z.string().default(''),
  Dimensions: dimensions,
  Statistic: z.string().default(''),
  ExtendedStatistic: z.string().default(''),
  Period: z.number().default(0),
})
type Alarm = z.output<typeof alarm>
type Metric = Pick<Alarm, 'Namespace' | 'MetricName' | 'Dimensions'>

const signs = { GreaterThanThreshold: '>', GreaterThanOrEqualToThreshold: '>=', LessThanThreshold: '<' }
/** The ids of resources end with a hash of eight characters. */
const nameValue = (value: unknown) => (typeof value === 'string' ? value : referredTo(value).slice(0, -8))
const describeMetric = (stat: string, { Namespace, MetricName, Dimensions }: Metric) =>
  `${stat} ${Namespace} ${MetricName} of ${Dimensions.map(({ Value }) => nameValue(Value)).join(' ')}`

/** Lists the limit of an alarm with the periods in a row that it takes, then its metric, or its expression and metrics. */
function describeAlarm({ Metrics, ...one }: Alarm): readonly string[] {
  const parts = Metrics.flatMap(({ MetricStat }) => MetricStat ?? [])
  const minutes = new Set([one.Period, ...parts.map(({ Period }) => Period)].filter(Boolean).map((all) => all / 60))
  const limit = `${signs[one.ComparisonOperator]} ${one.Threshold}, ${one.EvaluationPeriods} x ${[...minutes].join()} min`
  if (Metrics.length === 0) return [limit, describeMetric(one.Statistic + one.ExtendedStatistic, one)]
  const metrics = Metrics.map(({ Id, Expression, MetricStat }) =>
    MetricStat === undefined ? `${Expression}` : `${Id}: ${describeMetric(MetricStat.Stat, MetricStat.Metric)}`,
  )
  return [limit, ...metrics]
}

/** The alarms of a stage by name, but for those of throttled functions, whose number follows that of functions. */
const describeAlarms = (of: typeof full): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...of.listResources('AWS::CloudWatch::Alarm', alarm).values()]
      .map((one) => [one.AlarmName.replace('table-control-test-', ''), describeAlarm(one)] as const)
      .filter(([name]) => !name.startsWith('Throttles')),
  )

const requests = {
  Errors: [
    '> 2, 2 x 5 min',
    'IF((failed - FILL(undecided, 0)) < 3, 0, 100 * (failed - FILL(undecided, 0)) / requests)',
    'failed: Sum AWS/ApiGateway 5xx of ApiHttp',
    'requests: Sum AWS/ApiGateway Count of ApiHttp',
    // Any token of an unknown key brings it about.
    'undecided: Sum TableControl/test AuthUnavailable of table_control',
  ],
  TokenKeys: [
    '>= 1, 2 x 5 min',
    'IF(undecided >= 5 AND requests - FILL(refusals, 0) - FILL(errors, 0) - undecided <= 0, 1, 0)',
    'undecided: Sum TableControl/test AuthUnavailable of table_control',
    'requests: Sum TableControl/test Requests of table_control',
    'refusals: Sum TableControl/test Refusals of table_control',
    'errors: Sum TableControl/test Errors of table_control',
  ],
  Latency: ['> 1500, 3 x 5 min', 'p99 TableControl/test Duration of queryTableData table_control'],
  TooManyRequests: [
    '> 5, 3 x 5 min',
    'IF(refused < 100, 0, 100 * refused / requests)',
    'refused: Sum TableControl/test TooManyRequests of ',
    'requests: Sum AWS/ApiGateway Count of ApiHttp',
  ],
  Sockets: [
    '>= 10, 2 x 5 min',
    'SUM(METRICS())',
    'uncalled: Sum AWS/ApiGateway ExecutionError of SocketsWebSocket live',
    // Not what API Gateway counts as failed integrations: a refused token is one.
    'unopened: Sum TableControl/test Errors of socketConnect table_control',
    'f0: Sum AWS/Lambda Errors of socketconnect',
    'f1: Sum AWS/Lambda Errors of socketdisconnect',
    'f2: Sum AWS/Lambda Errors of socketping',
    'f3: Sum AWS/Lambda Errors of socketmessage',
  ],
}
const jobs = {
  DeadLetters: ['>= 1, 1 x 1 min', 'Maximum AWS/SQS ApproximateNumberOfMessagesVisible of JobsDeadLetterQueue'],
  OldestMessage: ['>= 1800, 1 x 5 min', 'Maximum AWS/SQS ApproximateAgeOfOldestMessage of JobsQueue'],
  JobsFailed: ['>= 1, 1 x 60 min', 'Sum TableControl/test JobsFailed of table_control'],
  Sweep: [
    '>= 1, 2 x 5 min',
    // A sweep that was never called, as in a first deployment, is not one that fails.
    'IF(called > 0 AND FILL(finished, 0) < 1, 1, 0)',
    'called: Sum AWS/Events TriggeredRules of JobsEveryMinute',
    'finished: Sum TableControl/test Sweeps of table_control',
  ],
  SweepEvents: ['>= 10, 1 x 60 min', 'Sum AWS/Lambda AsyncEventsDropped of sweep'],
}
const mails = {
  MailsFailed: ['>= 5, 1 x 60 min', 'Sum TableControl/test MailsFailed of table_control'],
  MailsUnknown: ['>= 1, 1 x 5 min', 'Sum TableControl/test MailsUnknown of table_control'],
  Bounces: ['>= 0.03, 1 x 60 min', 'Average AWS/SES Reputation.BounceRate of MailConfigurationSet'],
  Complaints: ['>= 0.0005, 1 x 60 min', 'Average AWS/SES Reputation.ComplaintRate of MailConfigurationSet'],
}
const gateway = (of: 1 | 2) =>
  `g${of - 1}: Sum AWS/NATGateway ErrorPortAllocation of DatabaseNetworkVpcpublicSubnet${of}NATGateway`
const cluster = {
  DatabaseConnections: ['>= 255, 2 x 5 min', 'Maximum AWS/RDS DatabaseConnections of DatabaseCluster'],
  DatabaseProcessor: ['>= 85, 3 x 5 min', 'Average AWS/RDS CPUUtilization of DatabaseCluster WRITER'],
  DatabaseSize: ['>= 85, 3 x 5 min', 'Average AWS/RDS ACUUtilization of DatabaseCluster'],
  NatPorts: ['>= 1, 1 x 5 min', 'SUM(METRICS())', gateway(1), gateway(2)],
}
const single = {
  DatabaseConnections: ['>= 85, 2 x 5 min', 'Maximum AWS/RDS DatabaseConnections of DatabaseInstance'],
  DatabaseProcessor: ['>= 85, 3 x 5 min', 'Average AWS/RDS CPUUtilization of DatabaseInstance'],
  DatabaseStorage: ['< 2000000000, 1 x 5 min', 'Minimum AWS/RDS FreeStorageSpace of DatabaseInstance'],
  NatPorts: ['>= 1, 1 x 5 min', 'SUM(METRICS())', gateway(1)],
}

it.each([
  ['a cluster and mails', full, { ...requests, ...jobs, ...mails, ...cluster }],
  ['a single instance', instance, { ...requests, ...jobs, ...single }],
  ['the fewest settings', synthesize(smallStage), { ...requests, ...jobs }],
] as const)('each alarm of a stage with %s begins where RUNBOOK.md says', (_name, of, expected) => {
  expect(describeAlarms(of)).toEqual(expected)
})
