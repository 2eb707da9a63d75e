import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Code } from 'aws-cdk-lib/aws-lambda'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { acceptedRisk } from './accepted-risk.ts'
import { Api } from './api.ts'
import { type Database, DatabaseBrought } from './database.ts'
import { DatabaseCreated } from './database-created.ts'
import { functionEnvironment, knowsSecrets, type Surroundings } from './function-environment.ts'
import { type DeployedName, type FunctionName, functionSettings, type Use } from './function-settings.ts'
import { Jobs } from './jobs.ts'
import { Mail } from './mail.ts'
import { Migrations } from './migrations.ts'
import { Monitoring } from './monitoring.ts'
import { Reports } from './reports.ts'
import { Sockets } from './sockets.ts'
import type { Stage } from './stage-settings.ts'
import { TableFunction } from './table-function.ts'

export interface ServiceStackProps extends StackProps {
  readonly stage: Stage
  /** The code of a function, which exports `handler` from `index.cjs`. */
  readonly codeOf: (name: DeployedName) => Code
}

/** They ask neither the database nor whoever issues tokens. */
const staysOutside: readonly FunctionName[] = ['explorer', 'route-not-found', 'socket-message']

type Functions = Readonly<Record<FunctionName, TableFunction>>

/** All of one stage. */
export class ServiceStack extends Stack {
  readonly #api: Api
  readonly #sockets: Sockets
  readonly #jobs: Jobs
  readonly #reports: Reports
  readonly #mail: Mail | undefined
  readonly #database: Database
  readonly #monitoring: Monitoring

  constructor(scope: Construct, id: string, { stage, codeOf, ...props }: ServiceStackProps) {
    super(scope, id, { description: `Table Control (${stage.name})`, ...props })
    const { database, mail } = stage
    const key = new Key(this, 'Key', { description: `Table Control (${stage.name})`, enableKeyRotation: true })
    this.#api = new Api(this, 'Api', stage)
    this.#sockets = new Sockets(this, 'Sockets', stage)
    this.#jobs = new Jobs(this, 'Jobs', stage)
    this.#reports = new Reports(this, 'Reports')
    this.#mail = mail && new Mail(this, 'Mail', { stageName: stage.name, mail, key })
    this.#database =
      database.kind === 'brought'
        ? new DatabaseBrought(this, 'Database', database)
        : new DatabaseCreated(this, 'Database', database)
    const { ownerUrl, placement } = this.#database
    const code = codeOf('migrate')
    const migrations =
      ownerUrl && new Migrations(this, 'Migrations', { stage, key, code, database: this.#database, ownerUrl })
    const surroundings = this.#surroundings()
    const create = (functionName: FunctionName) => {
      const created = new TableFunction(this, functionName, {
        functionName,
        stage,
        key,
        code: codeOf(functionName),
        environment: functionEnvironment(functionName, stage, surroundings),
        placement: staysOutside.includes(functionName) ? undefined : placement,
      })
      // A version of the service is deployed when the tables that it works with are there.
      if (migrations && knowsSecrets(functionName)) created.node.addDependency(migrations)
      return created
    }
    const names = Object.keys(functionSettings) as FunctionName[]
    const functions = Object.fromEntries(names.map((name) => [name, create(name)])) as Functions
    this.#connect(functions)
    const watched = { api: this.#api, jobs: this.#jobs, mail: this.#mail, database: this.#database }
    this.#monitoring = new Monitoring(this, 'Monitoring', { stage, key, functions, ...watched })
    this.#tell()
  }

  #surroundings(): Surroundings {
    const serviceSecret = new Secret(this, 'ServiceSecret', {
      description: 'Signs the links of downloads and the cursors of pages',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    })
    acceptedRisk(
      serviceSecret,
      'AwsSolutions-SMG4',
      'A new one ends every link in a mail; RUNBOOK.md says when and how',
    )
    return {
      publicUrl: this.#api.url,
      databaseUrl: this.#database.url,
      databaseAuthority: this.#database.authority,
      serviceSecret: serviceSecret.secretValue.unsafeUnwrap(),
      queueUrl: this.#jobs.queue.queueUrl,
      bucketName: this.#reports.bucket.bucketName,
      configurationSet: this.#mail?.configurationSet.configurationSetName,
      socketEndpoint: this.#sockets.endpoint,
      socketUrl: this.#sockets.url,
    }
  }

  #connect(functions: Functions): void {
    this.#api.addRoutes(functions)
    this.#sockets.addRoutes(functions)
    this.#jobs.connect(functions)
    for (const [name, { uses }] of Object.entries(functionSettings)) {
      for (const use of uses) this.#grant(use, functions[name as FunctionName])
    }
  }

  #grant(use: Use, user: TableFunction): void {
    const grants: Readonly<Partial<Record<Use, () => void>>> = {
      'sends jobs': () => this.#jobs.grantSend(user),
      'writes files': () => this.#reports.grantWrite(user),
      'reads files': () => this.#reports.grantRead(user),
      'removes files': () => this.#reports.grantRemove(user),
      'sends mails': () => this.#mail?.grantSend(user),
      pushes: () => this.#sockets.grantPush(user),
    }
    grants[use]?.()
  }

  /** The addresses that frontends and operators need. */
  #tell(): void {
    const tell = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description })
    tell('Url', this.#api.url, 'Of the HTTP API')
    for (const [guard, url] of Object.entries(this.#api.baseUrls())) {
      tell(`BaseUrl${guard}`, url, `In front of the endpoints of the guard "${guard}"`)
    }
    tell('WebSocketUrl', this.#sockets.url, 'What clients open with their token or a ticket')
    tell('QueueUrl', this.#jobs.queue.queueUrl, 'The queue of jobs')
    tell('DeadLetterQueueUrl', this.#jobs.deadLetterQueue.queueUrl, 'Messages that nobody could work on')
    tell('ReportBucketName', this.#reports.bucket.bucketName, 'The files behind links')
    tell('AlertsTopicArn', this.#monitoring.alerts.topicArn, 'What alarms say')
    if (this.#mail !== undefined) tell('MailFeedbackTopicArn', this.#mail.feedback.topicArn, 'Bounces and complaints')
    for (const [index, { name, value }] of (this.#mail?.records ?? []).entries()) {
      tell(`MailRecord${index + 1}`, `${name} CNAME ${value}`, "In the sender's DNS zone, so that mails are accepted")
    }
    if (!(this.#database instanceof DatabaseCreated)) return
    const { cluster, ownerSecret, serviceSecret } = this.#database
    tell('DatabaseArn', cluster.clusterArn, 'For the query editor and the Data API')
    tell('DatabaseEndpoint', cluster.clusterEndpoint.hostname, 'Reached from inside of the VPC')
    tell('DatabaseOwnerSecretArn', ownerSecret.secretArn, 'The login that owns the tables')
    tell('DatabaseServiceSecretArn', serviceSecret.secretArn, 'The login of the functions')
  }
}
