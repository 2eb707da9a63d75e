import { MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { Rule } from 'aws-cdk-lib/aws-events'
import { Duration } from 'aws-cdk-lib/core'
import { triggers } from '../../../lib/routes.ts'
import type { Stage } from '../../settings/stage-settings.ts'
import type { AlarmSettings, MonitoredStack } from './monitored-stack.ts'
import { serviceMetric } from './service-metrics.ts'

const hour = Duration.hours(1)

/** Returns the alarms for jobs, whose failures no waiting caller would notice. */
export const jobAlarms = ({ stage, jobs, functions, everyMinute }: MonitoredStack): readonly AlarmSettings[] => [
  {
    id: 'DeadLetters',
    section: 'Messages in the dead-letter queue',
    metric: jobs.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period: Duration.minutes(1),
    }),
    threshold: 1,
    evaluationPeriods: 1,
  },
  {
    id: 'OldestMessage',
    section: 'Jobs wait',
    metric: jobs.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: Duration.minutes(5) }),
    threshold: stage.alarms.oldestMessageMinutes * 60,
    evaluationPeriods: 1,
  },
  {
    id: 'JobsFailed',
    section: 'Jobs fail',
    metric: serviceMetric(stage, 'JobsFailed', { period: hour }),
    threshold: stage.alarms.jobsFailed,
    evaluationPeriods: 1,
  },
  {
    id: 'Sweep',
    section: 'The sweep does not run',
    metric: unfinishedSweeps(stage, everyMinute),
    threshold: 1,
    evaluationPeriods: 2,
    // A clock that stands still has no metric: the alarm then goes from OK to INSUFFICIENT_DATA, which is how it begins
    // in the first deployment, silently.
    treatMissingData: TreatMissingData.MISSING,
    notifyOfSilence: true,
  },
  {
    id: 'SweepEvents',
    section: 'The sweep does not run',
    metric: functions[triggers.schedule.everyMinute].metric('AsyncEventsDropped', {
      statistic: Stats.SUM,
      period: hour,
    }),
    threshold: 10,
    evaluationPeriods: 1,
  },
]

/** 1 for five minutes in which the clock called the sweep and none came to its end. */
function unfinishedSweeps(stage: Stage, { ruleName }: Rule): MathExpression {
  const period = Duration.minutes(5)
  const called = new Metric({
    namespace: 'AWS/Events',
    metricName: 'TriggeredRules',
    dimensionsMap: { RuleName: ruleName },
    statistic: Stats.SUM,
    period,
  })
  const usingMetrics = { called, finished: serviceMetric(stage, 'Sweeps', { period }) }
  return new MathExpression({
    expression: 'IF(called > 0 AND FILL(finished, 0) < 1, 1, 0)',
    label: 'No sweep came to its end',
    usingMetrics,
    period,
  })
}

/** None where a stage sends no mails. */
export function mailAlarms({ stage, mail }: MonitoredStack): readonly AlarmSettings[] {
  if (mail === undefined) return []
  const { mailsFailed, bouncePercent, complaintPercent } = stage.alarms
  const reputation = (metricName: string) =>
    new Metric({
      namespace: 'AWS/SES',
      metricName,
      dimensionsMap: { 'ses:configuration-set': mail.configurationSet.configurationSetName },
      statistic: Stats.AVERAGE,
      period: hour,
    })
  const section = 'Bounces and complaints'
  const once = { evaluationPeriods: 1 } as const
  return [
    {
      id: 'MailsFailed',
      section: 'Mails are refused',
      ...once,
      threshold: mailsFailed,
      metric: serviceMetric(stage, 'MailsFailed', { period: hour }),
    },
    {
      id: 'MailsUnknown',
      section: 'A job in the state unknown',
      ...once,
      threshold: 1,
      metric: serviceMetric(stage, 'MailsUnknown'),
    },
    { id: 'Bounces', section, metric: reputation('Reputation.BounceRate'), threshold: bouncePercent / 100, ...once },
    {
      id: 'Complaints',
      section,
      threshold: complaintPercent / 100,
      ...once,
      metric: reputation('Reputation.ComplaintRate'),
    },
  ]
}
