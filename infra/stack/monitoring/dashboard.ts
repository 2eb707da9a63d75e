import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch'
import { Duration } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { DatabaseCreated } from '../database/database-created.ts'
import type { MonitoredStack } from './monitored-stack.ts'
import { everyMetric, serviceMetric, serviceMetrics } from './service-metrics.ts'

/** Creates the dashboard `table-control-<stage>`. */
export function createDashboard(scope: Construct, monitored: MonitoredStack, alarms: readonly Alarm[]): Dashboard {
  const { stage } = monitored
  return new Dashboard(scope, 'Dashboard', {
    dashboardName: `table-control-${stage.name}`,
    defaultInterval: Duration.hours(12),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', width: 24, height: 4, alarms: [...alarms] })],
      requestsRow(monitored),
      functionsRow(monitored),
      jobsRow(monitored),
      deliveryRow(monitored),
      databaseRow(monitored),
    ],
  })
}

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): IWidget =>
  new GraphWidget({ title, width: 8, left: [...left], right: [...right] })

const search = (expression: string): IMetric => new MathExpression({ expression, usingMetrics: {}, label: '' })

const requestsRow = ({ stage, api, refused }: MonitoredStack): IWidget[] => [
  graph(
    'Requests, and what API Gateway answered them',
    [api.http.metricCount({ statistic: Stats.SUM })],
    [api.http.metricClientError({ statistic: Stats.SUM }), api.http.metricServerError({ statistic: Stats.SUM })],
  ),
  graph('Errors and refusals by code', [
    search(everyMetric(stage, 'Errors', 'code', Stats.SUM)),
    search(everyMetric(stage, 'Refusals', 'code', Stats.SUM)),
    serviceMetric(stage, 'AuthUnavailable'),
    refused,
  ]),
  graph('Duration of 99 of 100 requests (ms)', [search(everyMetric(stage, 'Duration', 'endpoint', 'p99'))]),
]

const functionsRow = ({ functions, stage }: MonitoredStack): IWidget[] => {
  const each = Object.values(functions)
  return [
    graph('Requests by endpoint', [search(everyMetric(stage, 'Requests', 'endpoint', Stats.SUM))]),
    graph(
      'Functions at once',
      each.map((one) => one.metric('ConcurrentExecutions', { statistic: Stats.MAXIMUM })),
    ),
    graph(
      'Throttled calls, and calls that ended without a response',
      each.map((one) => one.metricThrottles()),
      each.map((one) => one.metricErrors()),
    ),
  ]
}

const jobsRow = ({ stage, jobs }: MonitoredStack): IWidget[] => [
  graph(
    'Messages, and how long the oldest waits (s)',
    [
      jobs.queue.metricApproximateNumberOfMessagesVisible(),
      jobs.deadLetterQueue.metricApproximateNumberOfMessagesVisible(),
    ],
    [jobs.queue.metricApproximateAgeOfOldestMessage()],
  ),
  graph(
    'Exports, and their rows',
    [serviceMetric(stage, 'Exports')],
    [serviceMetric(stage, 'ReportRows'), serviceMetric(stage, 'QueueAge', { statistic: Stats.percentile(99) })],
  ),
  graph(
    'Jobs that failed, were tried again, or were found by the sweep',
    serviceMetrics(stage, ['JobsFailed', 'JobsRetried', 'JobsResent', 'JobsOverdue', 'FailureMailsResent']),
    [serviceMetric(stage, 'Sweeps')],
  ),
]

const deliveryRow = ({ stage }: MonitoredStack): IWidget[] => [
  graph('Mails', serviceMetrics(stage, ['MailsSent', 'MailsFailed', 'MailsDelayed', 'MailsUnknown'])),
  graph('Pushes', serviceMetrics(stage, ['Pushes', 'PushesGone', 'PushesFailed'])),
  graph(
    'What the sweep removes',
    serviceMetrics(stage, ['FilesRemoved', 'RowsRemoved', 'SocketsClosed', 'WatchersWoken']),
  ),
]

function databaseRow({ database }: MonitoredStack): IWidget[] {
  if (!(database instanceof DatabaseCreated)) return []
  const { cluster } = database
  return [
    graph('Connections', [cluster.metricDatabaseConnections({ statistic: Stats.MAXIMUM })]),
    graph('Processor of the writer, and size (%)', [database.writerProcessor(), cluster.metricACUUtilization()]),
    graph('Aurora capacity units', [cluster.metricServerlessDatabaseCapacity()]),
  ]
}
