import { Duration } from 'aws-cdk-lib'
import { ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { AlarmSettings, Monitored } from './monitored.ts'
import { serviceMetric } from './service-metrics.ts'

const hour = Duration.hours(1)

/** What nobody waits for, so that nobody else would notice. */
export const jobAlarms = ({ stage, jobs }: Monitored): readonly AlarmSettings[] => [
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
    metric: serviceMetric(stage, 'Sweeps'),
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 2,
    treatMissingData: TreatMissingData.BREACHING,
  },
]

/** None where a stage sends no mails. */
export function mailAlarms({ stage, mail }: Monitored): readonly AlarmSettings[] {
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
      ...{ id: 'MailsFailed', section: 'Mails are refused', ...once, threshold: mailsFailed },
      metric: serviceMetric(stage, 'MailsFailed', { period: hour }),
    },
    {
      ...{ id: 'MailsUnknown', section: 'A job in the state unknown', ...once, threshold: 1 },
      metric: serviceMetric(stage, 'MailsUnknown'),
    },
    { id: 'Bounces', section, metric: reputation('Reputation.BounceRate'), threshold: bouncePercent / 100, ...once },
    {
      ...{ id: 'Complaints', section, threshold: complaintPercent / 100, ...once },
      metric: reputation('Reputation.ComplaintRate'),
    },
  ]
}
