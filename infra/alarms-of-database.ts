import { Duration } from 'aws-cdk-lib'
import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { DatabaseCreated } from './database-created.ts'
import type { AlarmSettings, Monitored } from './monitored.ts'

/** None of a database that was brought along: whoever runs it watches it. */
export function databaseAlarms({ stage, database }: Monitored): readonly AlarmSettings[] {
  if (!(database instanceof DatabaseCreated)) return []
  const { cluster } = database
  const { databasePercent } = stage.alarms
  const highest = { statistic: Stats.MAXIMUM, period: Duration.minutes(5) }
  const section = 'The database is at its limit'
  return [
    {
      ...{ id: 'DatabaseConnections', section, evaluationPeriods: 2 },
      metric: cluster.metricDatabaseConnections(highest),
      threshold: Math.floor((stage.database.connections * databasePercent) / 100),
    },
    {
      ...{ id: 'DatabaseProcessor', section, evaluationPeriods: 3, threshold: databasePercent },
      metric: cluster.metricCPUUtilization({ ...highest, statistic: Stats.AVERAGE }),
    },
    {
      ...{ id: 'DatabaseSize', section, evaluationPeriods: 3, threshold: databasePercent },
      metric: cluster.metricACUUtilization({ ...highest, statistic: Stats.AVERAGE }),
    },
  ]
}
