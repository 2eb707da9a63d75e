import { InstanceType } from 'aws-cdk-lib/aws-ec2'
import {
  Credentials,
  DatabaseInstance,
  DatabaseInstanceEngine,
  ParameterGroup,
  PostgresEngineVersion,
  StorageType,
} from 'aws-cdk-lib/aws-rds'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { InstanceDatabase } from '../../settings/stage-settings.ts'
import { acceptRisk } from '../accept-risk.ts'
import { acceptDeletion, type CreatedDatabaseProps, CreatedServer, serverParameters } from './database.ts'
import { databaseName, ownerRole } from './database-logins.ts'

/**
 * One instance of RDS for PostgreSQL in a VPC of its own: a third of Aurora's idle cost, and down for minutes when its
 * zone is.
 */
export class InstanceCreated extends CreatedServer {
  readonly instance: DatabaseInstance
  readonly host: string

  constructor(scope: Construct, id: string, { settings, deletionProtection }: CreatedDatabaseProps<InstanceDatabase>) {
    super(scope, id, settings)
    this.instance = this.#createInstance(settings, deletionProtection)
    this.host = this.instance.dbInstanceEndpointAddress
  }

  #createInstance(settings: InstanceDatabase, deletionProtection: boolean): DatabaseInstance {
    const engine = DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.VER_18_3 })
    const instance = new DatabaseInstance(this, 'Instance', {
      engine,
      instanceType: new InstanceType(settings.instanceType),
      parameterGroup: new ParameterGroup(this, 'Parameters', {
        engine,
        description: 'Table Control',
        parameters: serverParameters,
      }),
      databaseName,
      credentials: Credentials.fromSecret(this.ownerLogin.secret, ownerRole),
      iamAuthentication: true,
      allocatedStorage: settings.storageGb,
      storageType: StorageType.GP3,
      storageEncrypted: true,
      multiAz: false,
      publiclyAccessible: false,
      vpc: this.network.vpc,
      vpcSubnets: { subnetGroupName: 'database' },
      securityGroups: [this.network.databaseGroup],
      backupRetention: Duration.days(7),
      copyTagsToSnapshot: true,
      deletionProtection,
      removalPolicy: RemovalPolicy.SNAPSHOT,
    })
    acceptRisk(instance, 'AwsSolutions-RDS3', 'The stage chose one instance; stages that must not be down have Aurora')
    acceptRisk(instance, 'AwsSolutions-RDS11', 'Its security group lets in only the functions, regardless of the port')
    if (!deletionProtection) acceptDeletion(instance)
    return instance
  }
}
