import type { Rule } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Code } from 'aws-cdk-lib/aws-lambda'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { CfnOutput, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { functionEnvironment, type Surroundings } from '../settings/function-environment.ts'
import {
  type DeployedName,
  type FunctionName,
  functionSettings,
  opensConnections,
  type Use,
} from '../settings/function-settings.ts'
import { namedZones, type Stage } from '../settings/stage-settings.ts'
import { acceptRisk } from './accept-risk.ts'
import { Api } from './api.ts'
import { createBudget } from './budget.ts'
import { CreatedServer, type Database, ExistingDatabase } from './database/database.ts'
import { DatabaseCreated } from './database/database-created.ts'
import { InstanceCreated } from './database/database-instance.ts'
import { Jobs } from './jobs.ts'
import { Mail } from './mail.ts'
import { Migrations } from './migrations.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import { Reports } from './reports.ts'
import { Sockets } from './sockets.ts'
import { TableFunction } from './table-function.ts'

export interface ServiceStackProps {
  readonly stage: Stage
  /** The code of a function, which exports `handler` from `index.cjs`. */
  readonly loadCode: (name: DeployedName) => Code
}

/** Functions that call neither the database nor the token issuer. */
const staysOutside: readonly FunctionName[] = ['explorer', 'route-not-found', 'socket-ping']

type Functions = Readonly<Record<FunctionName, TableFunction>>

/** All of one stage. */
export class ServiceStack extends Stack {
  readonly #zones: readonly string[]
  readonly #api: Api
  readonly #sockets: Sockets
  readonly #jobs: Jobs
  readonly #reports: Reports
  readonly #mail: Mail | undefined
  readonly #database: Database
  readonly #monitoring: Monitoring | undefined

  constructor(scope: Construct, id: string, { stage, loadCode }: ServiceStackProps) {
    const { account, region, deletionProtection, mail } = stage
    super(scope, id, {
      description: `Table Control (${stage.name})`,
      env: { region, ...(account !== undefined && { account }) },
      terminationProtection: deletionProtection === 'on',
    })
    this.#zones = namedZones(stage)
    const key = new Key(this, 'Key', {
      description: `Table Control (${stage.name})`,
      enableKeyRotation: true,
      // Encrypted data may outlive the stack, except for that of a failed first deployment.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    this.#api = new Api(this, 'Api', stage)
    this.#sockets = new Sockets(this, 'Sockets', stage)
    this.#jobs = new Jobs(this, 'Jobs', stage)
    this.#reports = new Reports(this, 'Reports')
    this.#mail = mail && new Mail(this, 'Mail', { stageName: stage.name, mail, key })
    this.#database = createDatabase(this, stage)
    const { ownerUrl, placement } = this.#database
    const code = loadCode('migrate')
    const migrations =
      ownerUrl && new Migrations(this, 'Migrations', { stage, key, code, database: this.#database, ownerUrl })
    const surroundings = this.#surroundings()
    const create = (functionName: FunctionName) => {
      const created = new TableFunction(this, functionName, {
        functionName,
        stage,
        key,
        code: loadCode(functionName),
        environment: functionEnvironment(functionName, stage, surroundings),
        placement: staysOutside.includes(functionName) ? undefined : placement,
      })
      // A version of the service is deployed when the tables that it works with are there.
      if (migrations && opensConnections(functionName)) created.node.addDependency(migrations)
      return created
    }
    const names = Object.keys(functionSettings) as FunctionName[]
    const functions = Object.fromEntries(names.map((name) => [name, create(name)])) as Functions
    const everyMinute = this.#connect(functions)
    const parts = { api: this.#api, sockets: this.#sockets, jobs: this.#jobs, mail: this.#mail }
    const watched = { ...parts, everyMinute, database: this.#database }
    this.#monitoring =
      stage.monitoring === 'on' ? new Monitoring(this, 'Monitoring', { stage, key, functions, ...watched }) : undefined
    createBudget(this, stage)
    this.#writeOutputs()
  }

  /** CloudFormation fills in the zones that no stage names: the CDK would look them up in the account of the stage. */
  override get availabilityZones(): string[] {
    if (this.#zones.length > 0) return [...this.#zones]
    return [0, 1].map((index) => Fn.select(index, Fn.getAzs(this.region)))
  }

  #surroundings(): Surroundings {
    const serviceSecret = new Secret(this, 'ServiceSecret', {
      description: 'Signs the links of downloads and the cursors of pages',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    })
    acceptRisk(serviceSecret, 'AwsSolutions-SMG4', 'A new one ends every link in a mail; RUNBOOK.md says when and how')
    return {
      publicUrl: this.#api.url,
      databaseUrl: this.#database.url,
      databaseAuthority: this.#database.authority,
      serviceSecret: serviceSecret.secretValue.unsafeUnwrap(),
      queueUrl: this.#jobs.queue.queueUrl,
      bucketName: this.#reports.bucket.bucketName,
      uploadOrigins: this.#reports.uploadOrigins,
      configurationSet: this.#mail?.configurationSet.configurationSetName,
      socketEndpoint: this.#sockets.endpoint,
      socketUrl: this.#sockets.url,
    }
  }

  #connect(functions: Functions): Rule {
    this.#api.addRoutes(functions)
    this.#sockets.addRoutes(functions)
    for (const [name, { uses }] of Object.entries(functionSettings)) {
      for (const use of uses) this.#grant(use, functions[name as FunctionName])
    }
    return this.#jobs.connect(functions)
  }

  #grant(use: Use, user: TableFunction): void {
    const grants: Readonly<Partial<Record<Use, () => void>>> = {
      'sends jobs': () => this.#jobs.grantSend(user),
      'writes files': () => this.#reports.grantWrite(user),
      'reads files': () => this.#reports.grantRead(user),
      'removes files': () => this.#reports.grantRemove(user),
      'sends mails': () => this.#mail?.grantSend(user),
      pushes: () => this.#sockets.grantPush(user),
      'closes sockets': () => this.#sockets.grantClose(user),
    }
    grants[use]?.()
  }

  /** The addresses that frontends and operators need. */
  #writeOutputs(): void {
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description })
    output('Url', this.#api.url, 'Of the HTTP API')
    for (const [guard, url] of Object.entries(this.#api.baseUrls())) {
      output(`BaseUrl${guard}`, url, `In front of the endpoints of the guard "${guard}"`)
    }
    output('WebSocketUrl', this.#sockets.url, 'What clients open with their token or a ticket')
    output('QueueUrl', this.#jobs.queue.queueUrl, 'The queue of jobs')
    output('DeadLetterQueueUrl', this.#jobs.deadLetterQueue.queueUrl, 'Messages that no worker could process')
    output('ReportBucketName', this.#reports.bucket.bucketName, 'The files behind links')
    if (this.#monitoring !== undefined) output('AlertsTopicArn', this.#monitoring.alerts.topicArn, 'What alarms say')
    if (this.#mail !== undefined) output('MailFeedbackTopicArn', this.#mail.feedback.topicArn, 'Bounces and complaints')
    for (const [index, { name, value }] of (this.#mail?.records ?? []).entries()) {
      output(`MailRecord${index + 1}`, `${name} CNAME ${value}`, "In the sender's DNS zone, so that mails are accepted")
    }
    if (this.#database instanceof DatabaseCreated && this.#database.hasDataApi)
      output('DatabaseArn', this.#database.cluster.clusterArn, 'For the query editor and the Data API')
    if (!(this.#database instanceof CreatedServer)) return
    const { host, ownerLogin, serviceLogin } = this.#database
    output('DatabaseEndpoint', host, 'Reached from inside of the VPC')
    output('DatabaseOwnerSecretArn', ownerLogin.secret.secretArn, 'The login that owns the tables')
    output('DatabaseServiceSecretArn', serviceLogin.secret.secretArn, 'The login of the functions')
  }
}

function createDatabase(scope: Construct, { database: settings, ...stage }: Stage): Database {
  const deletionProtection = stage.deletionProtection === 'on'
  switch (settings.kind) {
    case 'existing':
      return new ExistingDatabase(scope, 'Database', settings)
    case 'created':
      return new DatabaseCreated(scope, 'Database', { settings, deletionProtection })
    case 'instance':
      return new InstanceCreated(scope, 'Database', { settings, deletionProtection })
  }
}
