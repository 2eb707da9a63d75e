import { ComparisonOperator, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Duration } from 'aws-cdk-lib/core'
import { triggers } from '../../../lib/routes.ts'
import type { FunctionName } from '../../settings/function-settings.ts'
import type { AlarmSettings, MonitoredStack } from './monitored-stack.ts'
import { serviceMetric } from './service-metrics.ts'

const period = Duration.minutes(5)
const minErrors = 3
const minRefusals = 100

/** Returns the alarms for failures that callers notice. */
export const requestAlarms = (monitored: MonitoredStack): readonly AlarmSettings[] => [
  errorRate(monitored),
  noTokenIsChecked(monitored),
  {
    id: 'Latency',
    section: 'Pages of rows take long',
    metric: serviceMetric(monitored.stage, 'Duration', { endpoint: 'queryTableData', statistic: Stats.percentile(99) }),
    threshold: monitored.stage.alarms.latencyMs,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 3,
    // The slowest of twenty calls is no percentile.
    evaluateLowSampleCountPercentile: 'ignore',
  },
  ...throttles(monitored),
  tooManyRequests(monitored),
  socketErrors(monitored),
]

/**
 * Alarms on the share of failures among the responses of API Gateway, which include functions that crashed or did not
 * start. Failures that any caller can cause, by a token of an unknown key, do not count.
 */
function errorRate({ stage, api }: MonitoredStack): AlarmSettings {
  const errors = '(failed - FILL(undecided, 0))'
  const metric = new MathExpression({
    expression: `IF(${errors} < ${minErrors}, 0, 100 * ${errors} / requests)`,
    label: 'Errors in percent',
    usingMetrics: {
      failed: api.http.metricServerError({ statistic: Stats.SUM, period }),
      requests: api.http.metricCount({ statistic: Stats.SUM, period }),
      undecided: serviceMetric(stage, 'AuthUnavailable', { period }),
    },
    period,
  })
  return {
    id: 'Errors',
    section: 'Requests fail',
    metric,
    threshold: stage.alarms.errorPercent,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 2,
  }
}

/** Alarms if no caller is authenticated. The number of failures does not matter, because anybody can raise it. */
function noTokenIsChecked({ stage }: MonitoredStack): AlarmSettings {
  const others = 'FILL(refusals, 0) - FILL(errors, 0) - undecided'
  const metric = new MathExpression({
    expression: `IF(undecided >= 5 AND requests - ${others} <= 0, 1, 0)`,
    label: 'No caller is let in',
    usingMetrics: {
      undecided: serviceMetric(stage, 'AuthUnavailable', { period }),
      requests: serviceMetric(stage, 'Requests', { period }),
      refusals: serviceMetric(stage, 'Refusals', { period }),
      errors: serviceMetric(stage, 'Errors', { period }),
    },
    period,
  })
  return { id: 'TokenKeys', section: 'No token can be checked', metric, threshold: 1, evaluationPeriods: 2 }
}

/**
 * Watches a share, because one caller beyond its limit is no reason to act, and for long, because clients try again.
 */
function tooManyRequests({ stage, api, refused }: MonitoredStack): AlarmSettings {
  const metric = new MathExpression({
    expression: `IF(refused < ${minRefusals}, 0, 100 * refused / requests)`,
    label: 'Requests answered 429 in percent',
    usingMetrics: { refused, requests: api.http.metricCount({ statistic: Stats.SUM, period }) },
    period,
  })
  return {
    id: 'TooManyRequests',
    section: 'Many requests are answered 429',
    metric,
    threshold: stage.alarms.refusedPercent,
    evaluationPeriods: 3,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  }
}

/**
 * Adds up calls that API Gateway could not make, functions that crashed, and connections that the service could not
 * open. API Gateway's own count of failed integrations has refused tokens, too, which anybody can send.
 */
function socketErrors({ stage, sockets, functions }: MonitoredStack): AlarmSettings {
  const crashes = Object.values(triggers.sockets).map((name) =>
    functions[name].metricErrors({ statistic: Stats.SUM, period }),
  )
  const usingMetrics = {
    uncalled: sockets.executionErrors(period),
    unopened: serviceMetric(stage, 'Errors', { endpoint: 'socketConnect', period }),
    ...Object.fromEntries(crashes.map((metric, at) => [`f${at}`, metric])),
  }
  const metric = new MathExpression({
    expression: 'SUM(METRICS())',
    label: 'WebSockets that fail',
    usingMetrics,
    period,
  })
  const threshold = stage.alarms.socketErrors
  return { id: 'Sockets', section: 'WebSockets fail', metric, threshold, evaluationPeriods: 2 }
}

/** An alarm adds up ten metrics at most, its own sum included. */
const maxSummedFunctions = 9

/** Alarms for throttled functions. The worker has none, because the queue waits for it. */
function throttles({ stage, functions }: MonitoredStack): readonly AlarmSettings[] {
  const names = (Object.keys(functions) as FunctionName[]).filter((name) => name !== triggers.queue)
  const groups = Array.from({ length: Math.ceil(names.length / maxSummedFunctions) }, (_, index) =>
    names.slice(index * maxSummedFunctions, (index + 1) * maxSummedFunctions),
  )
  return groups.map((group, index) => {
    const metrics = group.map((name) => functions[name].metricThrottles({ statistic: Stats.SUM, period }))
    const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`f${at}`, metric]))
    const label = `Throttled calls of ${group.join(', ')}`
    const metric = new MathExpression({ expression: 'SUM(METRICS())', label, usingMetrics, period })
    const section = 'Clients are answered 429 or 503 by API Gateway'
    return { id: `Throttles${index + 1}`, section, metric, threshold: stage.alarms.throttles, evaluationPeriods: 2 }
  })
}
