import { Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Duration } from 'aws-cdk-lib/core'
import type { MetricName } from '../../../lib/telemetry/metrics.ts'
import { stageConfig } from '../../settings/function-environment.ts'
import type { Stage } from '../../settings/stage-settings.ts'

/** A metric of the service, or of one of its endpoints. A sum over five minutes by default. */
export const serviceMetric = (
  stage: Stage,
  metricName: MetricName,
  { endpoint, ...props }: Partial<MetricProps> & { readonly endpoint?: string } = {},
): Metric =>
  new Metric({
    namespace: stageConfig(stage).METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { service: stage.serviceName, ...(endpoint !== undefined && { endpoint }) },
    statistic: Stats.SUM,
    period: Duration.minutes(5),
    ...props,
  })

/** Several metrics of the service. */
export const serviceMetrics = (stage: Stage, names: readonly MetricName[]): Metric[] =>
  names.map((name) => serviceMetric(stage, name))

/** Finds a metric of every value of a dimension, for a graph; alarms cannot. */
export const everyMetric = (
  stage: Stage,
  metricName: MetricName,
  dimension: 'endpoint' | 'code',
  statistic: string,
): string =>
  `SEARCH('{${stageConfig(stage).METRICS_NAMESPACE},service,${dimension}} MetricName="${metricName}" service="${stage.serviceName}"', '${statistic}', 300)`
