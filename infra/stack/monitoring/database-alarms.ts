import { ComparisonOperator, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Duration } from 'aws-cdk-lib/core'
import type { Stage } from '../../settings/stage-settings.ts'
import { DatabaseCreated } from '../database/database-created.ts'
import { InstanceCreated } from '../database/database-instance.ts'
import type { AlarmSettings, MonitoredStack } from './monitored-stack.ts'

const section = 'The database is at its limit'
const highest = { statistic: Stats.MAXIMUM, period: Duration.minutes(5) }
const mean = { ...highest, statistic: Stats.AVERAGE }

/** No alarms on an existing database: its operator watches it. */
export function databaseAlarms({ stage, database }: MonitoredStack): readonly AlarmSettings[] {
  if (database instanceof DatabaseCreated) return [...clusterAlarms(stage, database), ...gatewayAlarms(database)]
  if (database instanceof InstanceCreated) return [...instanceAlarms(stage, database), ...gatewayAlarms(database)]
  return []
}

const connections = ({ database, alarms }: Stage) => ({
  id: 'DatabaseConnections',
  section,
  evaluationPeriods: 2,
  threshold: Math.floor((database.connections * alarms.databasePercent) / 100),
})

const processor = ({ alarms }: Stage) => ({
  id: 'DatabaseProcessor',
  section,
  evaluationPeriods: 3,
  threshold: alarms.databasePercent,
})

const clusterAlarms = (stage: Stage, database: DatabaseCreated): readonly AlarmSettings[] => [
  { ...connections(stage), metric: database.cluster.metricDatabaseConnections(highest) },
  { ...processor(stage), metric: database.writerProcessor(mean) },
  {
    id: 'DatabaseSize',
    section,
    evaluationPeriods: 3,
    threshold: stage.alarms.databasePercent,
    metric: database.cluster.metricACUUtilization(mean),
  },
]

const instanceAlarms = (stage: Stage, { instance }: InstanceCreated): readonly AlarmSettings[] => [
  { ...connections(stage), metric: instance.metricDatabaseConnections(highest) },
  { ...processor(stage), metric: instance.metricCPUUtilization(mean) },
  {
    id: 'DatabaseStorage',
    section,
    evaluationPeriods: 1,
    threshold: 2e9,
    metric: instance.metricFreeStorageSpace({ ...highest, statistic: Stats.MINIMUM }),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  },
]

/** A NAT gateway has 55,000 ports for each address that is called. Beyond them, calls of other services fail. */
function gatewayAlarms({ network }: DatabaseCreated | InstanceCreated): readonly AlarmSettings[] {
  const { natGatewayIds } = network
  if (natGatewayIds.length === 0) return []
  const period = Duration.minutes(5)
  const natErrors = (NatGatewayId: string) =>
    new Metric({
      namespace: 'AWS/NATGateway',
      metricName: 'ErrorPortAllocation',
      dimensionsMap: { NatGatewayId },
      statistic: Stats.SUM,
      period,
    })
  const usingMetrics = Object.fromEntries(natGatewayIds.map((id, index) => [`g${index}`, natErrors(id)]))
  const label = 'Connections without a port'
  const metric = new MathExpression({ expression: 'SUM(METRICS())', label, usingMetrics, period })
  return [{ id: 'NatPorts', section: 'NAT gateways have no ports left', metric, threshold: 1, evaluationPeriods: 1 }]
}
