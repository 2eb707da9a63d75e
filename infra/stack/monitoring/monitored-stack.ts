import type { CreateAlarmOptions, IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Rule } from 'aws-cdk-lib/aws-events'
import type { FunctionName } from '../../settings/function-settings.ts'
import type { Stage } from '../../settings/stage-settings.ts'
import type { Api } from '../api.ts'
import type { Database } from '../database/database.ts'
import type { Jobs } from '../jobs.ts'
import type { Mail } from '../mail.ts'
import type { Sockets } from '../sockets.ts'
import type { TableFunction } from '../table-function.ts'

/** The parts of a stage that are watched. */
export interface MonitoredStack {
  readonly stage: Stage
  readonly api: Api
  readonly sockets: Sockets
  readonly functions: Readonly<Record<FunctionName, TableFunction>>
  readonly jobs: Jobs
  /** The clock of the sweep. */
  readonly everyMinute: Rule
  readonly mail: Mail | undefined
  readonly database: Database
  /** Counts the requests that were answered 429. */
  readonly refused: IMetric
}

/** One alarm. */
export interface AlarmSettings extends Omit<CreateAlarmOptions, 'alarmName' | 'alarmDescription'> {
  /** Part of its name. */
  readonly id: string
  /** The heading of the section of RUNBOOK.md that says what to do. */
  readonly section: string
  readonly metric: IMetric
  /** Whether the alarm also notifies when its metric ends: it has had values, and has none any more. */
  readonly notifyOfSilence?: boolean
}
