import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch'
import {
  AuroraPostgresEngineVersion,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
  ParameterGroup,
} from 'aws-cdk-lib/aws-rds'
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { CreatedDatabase } from '../../settings/stage-settings.ts'
import { acceptRisk } from '../accept-risk.ts'
import { acceptDeletion, type CreatedDatabaseProps, CreatedServer, serverParameters } from './database.ts'
import { databaseName, ownerRole } from './database-logins.ts'

/** Aurora PostgreSQL Serverless v2 in a VPC of its own. */
export class DatabaseCreated extends CreatedServer {
  readonly cluster: DatabaseCluster
  readonly host: string
  readonly hasDataApi: boolean

  constructor(scope: Construct, id: string, { settings, deletionProtection }: CreatedDatabaseProps<CreatedDatabase>) {
    super(scope, id, settings)
    this.hasDataApi = settings.dataApi === 'on'
    this.cluster = this.#createCluster(settings, deletionProtection)
    this.host = this.cluster.clusterEndpoint.hostname
  }

  /** The writer's processor: the mean of all instances is low while readers, which no function uses, are idle. */
  writerProcessor(options: MetricOptions = {}): Metric {
    const dimensionsMap = { DBClusterIdentifier: this.cluster.clusterIdentifier, Role: 'WRITER' }
    return this.cluster.metricCPUUtilization({ ...options, dimensionsMap })
  }

  #createCluster(settings: CreatedDatabase, deletionProtection: boolean): DatabaseCluster {
    const engine = DatabaseClusterEngine.auroraPostgres({ version: AuroraPostgresEngineVersion.VER_18_4 })
    const cluster = new DatabaseCluster(this, 'Cluster', {
      engine,
      parameterGroup: new ParameterGroup(this, 'Parameters', {
        engine,
        description: 'Table Control',
        // Not max_connections: it would change only with a reboot, and the default follows the largest size.
        parameters: serverParameters,
      }),
      defaultDatabaseName: databaseName,
      credentials: Credentials.fromSecret(this.ownerLogin.secret, ownerRole),
      iamAuthentication: true,
      // For people, who are not in the VPC.
      enableDataApi: this.hasDataApi,
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
