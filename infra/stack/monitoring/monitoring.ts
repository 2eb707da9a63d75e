import { Alarm, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Duration, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { stageConfig } from '../../settings/function-environment.ts'
import { createDashboard } from './dashboard.ts'
import { databaseAlarms } from './database-alarms.ts'
import { jobAlarms, mailAlarms } from './job-alarms.ts'
import type { AlarmSettings, MonitoredStack } from './monitored-stack.ts'
import { requestAlarms } from './request-alarms.ts'

/** Alarms for conditions on which a person must act, the topic that they notify, and a dashboard. */
export class Monitoring extends Construct {
  readonly alerts: Topic

  constructor(
    scope: Construct,
    id: string,
    { key, ...watched }: Omit<MonitoredStack, 'refused'> & { readonly key: IKey },
  ) {
    super(scope, id)
    const monitored = { ...watched, refused: this.#countRefused(watched) }
    const { stage } = monitored
    this.alerts = this.#createTopic(key, stage.alarms.notify)
    const settings = [requestAlarms, jobAlarms, mailAlarms, databaseAlarms].flatMap((of) => of(monitored))
    const alarms = settings.map((one) => this.#createAlarm(stage.name, one))
    createDashboard(this, monitored, alarms)
  }

  #createAlarm(stageName: string, { id, section, metric, notifyOfSilence, ...settings }: AlarmSettings): Alarm {
    const alarm = new Alarm(this, id, {
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...settings,
      metric,
      alarmName: `table-control-${stageName}-${id}`,
      alarmDescription: `infra/RUNBOOK.md, "${section}"`,
    })
    const action = new SnsAction(this.alerts)
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    if (notifyOfSilence) alarm.addInsufficientDataAction(action)
    return alarm
  }

  /** Counts lines of the access log, because functions do not see what API Gateway refuses. */
  #countRefused({ stage, api }: Omit<MonitoredStack, 'refused'>): IMetric {
    const filter = new MetricFilter(this, 'Refused', {
      logGroup: api.accessLogs,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: stageConfig(stage).METRICS_NAMESPACE,
      metricName: 'TooManyRequests',
      metricValue: '1',
    })
    return filter.metric({ statistic: Stats.SUM, period: Duration.minutes(5) })
  }

  #createTopic(key: IKey, addresses: readonly string[]): Topic {
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
    })
    const topic = new Topic(this, 'Alerts', { masterKey: key, enforceSSL: true })
    topic.grantPublish(cloudWatch)
    for (const address of addresses) topic.addSubscription(new EmailSubscription(address))
    return topic
  }
}
