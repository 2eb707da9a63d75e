import { Effect, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { type DeployedName, reservedConcurrency, settingsOfFunction } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'
import { acceptRisk } from './accept-risk.ts'
import { ipv6Variables, networkInterfaces, type Placement } from './placement.ts'
import { statement } from './policy-statement.ts'

export interface TableFunctionProps {
  readonly functionName: DeployedName
  readonly code: Code
  readonly environment: Readonly<Record<string, string>>
  /** Encrypts the environment, so that only who may decrypt can read it. */
  readonly key: IKey
  readonly placement: Placement | undefined
  readonly stage: Stage
}

/** One file of functions/ as a Lambda, with a role and a log group of its own. */
export class TableFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: TableFunctionProps) {
    const { functionName, stage, placement } = props
    const { memoryMb, timeoutSeconds } = settingsOfFunction(functionName)
    const { connections } = stage.database
    const limits = { connections, maxConcurrentReports: stage.maxConcurrentReports }
    const reserved = stage.reservedConcurrency === 'on' ? reservedConcurrency(functionName, limits) : undefined
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code,
      // CloudFormation reads secrets again for a function if any of its properties changes.
      description: `functions/${functionName}.ts (${stage.name}, secrets ${stage.secretsRevision})`,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      // Applies to lines of Lambda and uncaught errors; lines of the service bypass the console and stay as they are.
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      logGroup,
      role,
      environment: { ...props.environment, ...(placement?.ipv6AllowedForDualStack && ipv6Variables) },
      environmentEncryption: props.key,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      // Reports are files of up to some hundred megabytes before they are sent.
      ...(functionName === 'report-worker' && { ephemeralStorageSize: Size.gibibytes(2) }),
      // The worker sends unfinished jobs to its own queue, which Lambda would end after 16 rounds as a loop. A job has
      // a deadline and a number of attempts of its own.
      ...(functionName === 'report-worker' && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...placement,
    })
    this.allow(statement(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]))
    props.key.grantDecrypt(role)
    acceptRisk(
      role,
      'AwsSolutions-IAM5[Resource::*]',
      'X-Ray has no resources to name, and EC2 does not let a policy name the interfaces that Lambda makes in a VPC',
    )
    if (placement !== undefined) this.allow(networkInterfaces())
  }

  /** Adds what the function may do. */
  allow(permission: PolicyStatement): void {
    if (permission.effect !== Effect.ALLOW) throw new Error('A role is only granted rights: a permission must not deny')
    this.addToRolePolicy(permission)
  }
}
