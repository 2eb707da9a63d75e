import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { InstanceType } from 'aws-cdk-lib/aws-ec2'
import {
  Credentials,
  DatabaseInstance,
  DatabaseInstanceEngine,
  ParameterGroup,
  PostgresEngineVersion,
  StorageType,
} from 'aws-cdk-lib/aws-rds'
import { Construct } from 'constructs'
import type { InstanceDatabase } from '../../settings/stage-settings.ts'
import { acceptRisk } from '../accept-risk.ts'
import { Network } from '../network.ts'
import type { Placement } from '../placement.ts'
import { acceptDeletion, type CreatedDatabaseProps, type Database } from './database.ts'
import {
  createLogin,
  createServiceLogin,
  type DatabaseLogin,
  databaseName,
  loginUrl,
  ownerRole,
} from './database-logins.ts'
import { amazonRoots } from './rds-roots.ts'

/** One instance of RDS for PostgreSQL in a VPC of its own: a third of Aurora's idle cost, and down for minutes when its zone is. */
export class InstanceCreated extends Construct implements Database {
  readonly url: string
  readonly ownerUrl: string
  readonly loginIdentity: Database['loginIdentity']
  readonly authority = amazonRoots
  readonly network: Network
  readonly placement: Placement
  readonly instance: DatabaseInstance
  readonly host: string
  readonly ownerLogin: DatabaseLogin
  readonly serviceLogin: DatabaseLogin

  constructor(scope: Construct, id: string, { settings, deletionProtection }: CreatedDatabaseProps<InstanceDatabase>) {
    super(scope, id)
    this.network = new Network(this, 'Network', settings)
    this.placement = this.network.placement
    this.ownerLogin = createLogin(this, 'OwnerSecret', ownerRole)
    this.serviceLogin = createServiceLogin(this, settings.serviceRole)
    this.instance = this.#createInstance(settings, deletionProtection)
    this.host = this.instance.dbInstanceEndpointAddress
    this.url = loginUrl(this.serviceLogin, this.host)
    this.ownerUrl = loginUrl(this.ownerLogin, this.host)
    this.loginIdentity = { Login: this.serviceLogin.secret.secretArn, Server: this.host }
  }

  #createInstance(settings: InstanceDatabase, deletionProtection: boolean): DatabaseInstance {
    const engine = DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.VER_18_3 })
    const instance = new DatabaseInstance(this, 'Instance', {
      engine,
      instanceType: new InstanceType(settings.instanceType),
      parameterGroup: new ParameterGroup(this, 'Parameters', {
        engine,
        description: 'Table Control',
        parameters: { 'rds.force_ssl': '1' },
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
