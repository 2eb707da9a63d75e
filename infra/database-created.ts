import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AuroraPostgresEngineVersion,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
  ParameterGroup,
} from 'aws-cdk-lib/aws-rds'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { acceptedRisk } from './accepted-risk.ts'
import { amazonAuthority, type Database } from './database.ts'
import { Network } from './network.ts'
import type { Placement } from './placement.ts'
import type { CreatedDatabase } from './stage-settings.ts'

const databaseName = 'table_control'

/** For people, Aurora's own upkeep and migrations, beside what the functions may open. */
const connectionsForOthers = 20

/** Aurora PostgreSQL Serverless v2 in a VPC of its own. */
export class DatabaseCreated extends Construct implements Database {
  readonly url: string
  readonly ownerUrl: string
  readonly authority = amazonAuthority
  readonly placement: Placement
  readonly cluster: DatabaseCluster
  /** Of the role that owns the tables. */
  readonly ownerSecret: ISecret
  /** Of the role by which functions log in: it owns nothing. */
  readonly serviceSecret: ISecret

  constructor(scope: Construct, id: string, settings: CreatedDatabase) {
    super(scope, id)
    const network = new Network(this, 'Network', settings)
    this.placement = network.placement
    this.ownerSecret = this.#login('OwnerSecret', 'table_control_owner')
    this.serviceSecret = this.#login('ServiceSecret', 'table_control_service')
    this.cluster = this.#createCluster(settings, network)
    this.url = this.#urlOf(this.serviceSecret)
    this.ownerUrl = this.#urlOf(this.ownerSecret)
  }

  #urlOf(secret: ISecret): string {
    const value = (key: string) => secret.secretValueFromJson(key).unsafeUnwrap()
    const { hostname } = this.cluster.clusterEndpoint
    return `postgres://${value('username')}:${value('password')}@${hostname}:5432/${databaseName}`
  }

  #createCluster(settings: CreatedDatabase, network: Network): DatabaseCluster {
    const engine = DatabaseClusterEngine.auroraPostgres({ version: AuroraPostgresEngineVersion.VER_18_4 })
    const cluster = new DatabaseCluster(this, 'Cluster', {
      engine,
      parameterGroup: new ParameterGroup(this, 'Parameters', {
        engine,
        description: 'Table Control',
        parameters: {
          'rds.force_ssl': '1',
          max_connections: String(settings.connections + connectionsForOthers),
        },
      }),
      defaultDatabaseName: databaseName,
      credentials: Credentials.fromSecret(this.ownerSecret),
      iamAuthentication: true,
      // For people, who are not in the VPC.
      enableDataApi: true,
      writer: ClusterInstance.serverlessV2('Writer'),
      readers: Array.from({ length: settings.readers }, (_, index) =>
        ClusterInstance.serverlessV2(`Reader${index + 1}`, { scaleWithWriter: true }),
      ),
      serverlessV2MinCapacity: settings.leastUnits,
      serverlessV2MaxCapacity: settings.mostUnits,
      vpc: network.vpc,
      vpcSubnets: { subnetGroupName: 'database' },
      securityGroups: [network.databaseGroup],
      storageEncrypted: true,
      backup: { retention: Duration.days(14) },
      copyTagsToSnapshot: true,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.SNAPSHOT,
    })
    acceptedRisk(
      cluster,
      'AwsSolutions-RDS11',
      'Its security group lets in nobody but the functions, whatever the port',
    )
    return cluster
  }

  #login(id: string, username: string): ISecret {
    const secret = new Secret(this, id, {
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ username }),
        generateStringKey: 'password',
        passwordLength: 40,
        // It becomes part of a URL as it is.
        excludePunctuation: true,
      },
    })
    acceptedRisk(secret, 'AwsSolutions-SMG4', 'Functions get it by deployment; RUNBOOK.md says how it is changed')
    return secret as ISecret
  }
}
