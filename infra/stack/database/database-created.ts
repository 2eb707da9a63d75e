import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AuroraPostgresEngineVersion,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
  ParameterGroup,
} from 'aws-cdk-lib/aws-rds'
import { Construct } from 'constructs'
import type { CreatedDatabase } from '../../settings/stage-settings.ts'
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

/** Aurora PostgreSQL Serverless v2 in a VPC of its own. */
export class DatabaseCreated extends Construct implements Database {
  readonly url: string
  readonly ownerUrl: string
  readonly loginIdentity: Database['loginIdentity']
  readonly authority = amazonRoots
  readonly network: Network
  readonly placement: Placement
  readonly cluster: DatabaseCluster
  readonly host: string
  readonly ownerLogin: DatabaseLogin
  readonly serviceLogin: DatabaseLogin

  constructor(scope: Construct, id: string, { settings, deletionProtection }: CreatedDatabaseProps<CreatedDatabase>) {
    super(scope, id)
    this.network = new Network(this, 'Network', settings)
    this.placement = this.network.placement
    this.ownerLogin = createLogin(this, 'OwnerSecret', ownerRole)
    this.serviceLogin = createServiceLogin(this, settings.serviceRole)
    this.cluster = this.#createCluster(settings, deletionProtection)
    this.host = this.cluster.clusterEndpoint.hostname
    this.url = loginUrl(this.serviceLogin, this.host)
    this.ownerUrl = loginUrl(this.ownerLogin, this.host)
    this.loginIdentity = { Login: this.serviceLogin.secret.secretArn, Server: this.host }
  }

  #createCluster(settings: CreatedDatabase, deletionProtection: boolean): DatabaseCluster {
    const engine = DatabaseClusterEngine.auroraPostgres({ version: AuroraPostgresEngineVersion.VER_18_4 })
    const cluster = new DatabaseCluster(this, 'Cluster', {
      engine,
      parameterGroup: new ParameterGroup(this, 'Parameters', {
        engine,
        description: 'Table Control',
        // Not max_connections: it would change only with a reboot, and the default follows the largest size.
        parameters: { 'rds.force_ssl': '1' },
      }),
      defaultDatabaseName: databaseName,
      credentials: Credentials.fromSecret(this.ownerLogin.secret, ownerRole),
      iamAuthentication: true,
      // For people, who are not in the VPC.
      enableDataApi: true,
      writer: ClusterInstance.serverlessV2('Writer'),
      readers: Array.from({ length: settings.readers }, (_, index) =>
        ClusterInstance.serverlessV2(`Reader${index + 1}`, { scaleWithWriter: true }),
      ),
      serverlessV2MinCapacity: settings.minCapacity,
      serverlessV2MaxCapacity: settings.maxCapacity,
      vpc: this.network.vpc,
      vpcSubnets: { subnetGroupName: 'database' },
      securityGroups: [this.network.databaseGroup],
      storageEncrypted: true,
      backup: { retention: Duration.days(14) },
      copyTagsToSnapshot: true,
      deletionProtection,
      removalPolicy: RemovalPolicy.SNAPSHOT,
    })
    acceptRisk(cluster, 'AwsSolutions-RDS11', 'Its security group lets in only the functions, regardless of the port')
    if (!deletionProtection) acceptDeletion(cluster)
    return cluster
  }
}
