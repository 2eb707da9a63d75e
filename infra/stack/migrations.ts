import { createHash } from 'node:crypto'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Code } from 'aws-cdk-lib/aws-lambda'
import { CustomResource, Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { serviceRights } from '../../lib/db/service-rights.ts'
import { triggers } from '../../lib/routes.ts'
import { migrationsFolder } from '../bundle/migrations-plugin.ts'
import { migrationEnvironment } from '../settings/function-environment.ts'
import { settingsOfFunction } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'
import type { Database } from './database/database.ts'
import { TableFunction } from './table-function.ts'

export interface MigrationsProps {
  readonly stage: Stage
  readonly key: IKey
  readonly code: Code
  readonly database: Database
  /** How the owner of the tables logs in. */
  readonly ownerUrl: string
}

/** A step of the deployment that prepares the database. What depends on it is left as it was when the step fails. */
export class Migrations extends Construct {
  constructor(scope: Construct, id: string, { stage, key, code, database, ownerUrl }: MigrationsProps) {
    super(scope, id)
    const functionName = triggers.deployment
    const environment = migrationEnvironment(stage, database, ownerUrl)
    const { placement } = database
    const migrate = new TableFunction(this, functionName, { functionName, stage, key, code, environment, placement })
    // A second attempt of Lambda's own would begin when CloudFormation no longer waits.
    migrate.configureAsyncInvoke({ retryAttempts: 0 })
    const step = new CustomResource(this, 'Step', {
      resourceType: 'Custom::DatabaseMigrations',
      serviceToken: migrate.functionArn,
      serviceTimeout: Duration.seconds(settingsOfFunction(functionName).timeoutSeconds + 60),
      properties: reasonsToRun(stage, database),
    })
    step.node.addDependency(migrate, database)
  }
}

/** The step is taken when one of these is not what it was at the last deployment. */
function reasonsToRun(
  { secretsRevision, database }: Stage,
  { loginIdentity }: Database,
): Readonly<Record<string, string>> {
  return {
    Migrations: readMigrations(migrationsFolder).hash,
    Rights: createHash('sha256').update(JSON.stringify(serviceRights)).digest('hex'),
    Secrets: String(secretsRevision),
    // More of them are refused as long as the database does not take them.
    Connections: String(database.connections),
    ...loginIdentity,
  }
}
