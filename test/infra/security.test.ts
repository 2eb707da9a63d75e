import { Match } from 'aws-cdk-lib/assertions'
import { Stage } from 'aws-cdk-lib/core'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { functionSettings, opensConnections, type Use } from '../../infra/settings/function-settings.ts'
import type { StageSettings } from '../../infra/settings/stage-settings.ts'
import { stageNamed } from '../../infra/stages.ts'
import {
  createStack,
  fullStage,
  listFunctions,
  referredTo,
  smallStage,
  synthesize,
} from '../support/infra/synthesized-stack.ts'
import { commandsOfFunction, modulesOfFunction, packagesOfFunction } from './function-contents.ts'

const stack = synthesize(fullStage)
const { name: _, ...personalSettings } = stageNamed('personal')
/** On a single instance, without NAT gateways. */
const single = synthesize(personalSettings as StageSettings)
const anything = z.record(z.string(), z.unknown())

const statement = z.object({
  Action: z.union([z.string(), z.array(z.string())]),
  Effect: z.string(),
  Principal: z.unknown().optional(),
  Resource: z.unknown(),
  Condition: z.unknown().optional(),
})
const policy = z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) })

/** Each permission of each policy as `action on resource`, without the ids of resources. */
function permissions(of = stack): readonly string[] {
  const statements = [...of.listResources('AWS::IAM::Policy', policy).values()].flatMap(
    (one) => one.PolicyDocument.Statement,
  )
  return statements.flatMap(({ Action, Resource }) =>
    [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${action} on ${JSON.stringify(one)}`)),
  )
}

const findStars = (of = stack) => [...new Set(permissions(of).filter((one) => one.includes('*')))]

const interfaces = [
  ...['AssignPrivateIpAddresses', 'CreateNetworkInterface', 'DeleteNetworkInterface', 'DescribeNetworkInterfaces'],
  ...['DescribeSubnets', 'UnassignPrivateIpAddresses'],
]

describe.each([
  ['every setting', fullStage],
  ['the fewest settings', smallStage],
] as const)('a stage with %s', (_name, settings) => {
  it("keeps the rules of cdk-nag's AwsSolutions, but for the risks that are accepted beside the resource", () => {
    const root = createStack(settings)
    Stage.of(root)?.synth()
    expect(new AwsSolutionsChecks(root).validateScope(root).violations).toEqual([])
  })
})

describe('the rights of functions', () => {
  it('name every resource, but for traces, the interfaces in a VPC, the files of the bucket and open connections', () => {
    const patterns = [
      /^xray:Put(TelemetryRecords|TraceSegments) on "\*"$/,
      /^ec2:\w+ on "\*"$/,
      /^s3:\w+Object on .*\/\*/,
      /^s3:AbortMultipartUpload on .*\/\*/,
    ]
    const listed = [...patterns, /^execute-api:ManageConnections on .*\/live\/(POST|DELETE)\/@connections\/\*"/]
    expect(findStars().filter((one) => !listed.some((pattern) => pattern.test(one)))).toEqual([])
    const ec2 = findStars().filter((one) => one.startsWith('ec2:'))
    expect(ec2.sort()).toEqual(interfaces.map((action) => `ec2:${action} on "*"`).sort())
  })

  it('name every resource but that of traces where there is no VPC', () => {
    const unnamed = findStars(synthesize(smallStage)).filter((one) => / on "\*"$/.test(one))
    expect(unnamed.filter((one) => !one.startsWith('xray:Put'))).toEqual([])
  })

  it('have no action with a wildcard', () => {
    expect(permissions().filter((one) => one.slice(0, one.indexOf(' on ')).includes('*'))).toEqual([])
  })
})

const push = 'execute-api:ManageConnections'
const receive = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage']
const upload = ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject']

/** The actions of each function on the resources of the stack; a function that is not here has none. */
const actionsByFunction: Readonly<Record<string, readonly string[]>> = {
  'bulk-table-action': [push, ...upload, 's3:GetObject', 'sqs:SendMessage'],
  'cancel-job': [push],
  download: [...upload, 's3:GetObject'],
  'socket-ping': [push],
  'row-table-action': ['sqs:SendMessage'],
  'row-bulk-table-action': ['sqs:SendMessage'],
  'socket-message': [push, 'sqs:SendMessage'],
  'report-worker': [
    ...[push, ...upload, 's3:GetObject', 'ses:SendRawEmail'],
    ...[...receive.map((name) => `sqs:${name}`), 'sqs:SendMessage'],
  ],
  sweep: [push, 's3:DeleteObject', 'sqs:SendMessage'],
}

it.each(Object.keys(functionSettings))('grants %s exactly the actions that it needs', (name) => {
  const policies = [...stack.listResources('AWS::IAM::Policy', policy)]
  const ofFunction = policies.filter(([id]) => id.startsWith(`${name.replaceAll('-', '')}RoleDefaultPolicy`))
  expect(ofFunction).toHaveLength(1)
  const statements = ofFunction.flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement)
  const actions = new Set(statements.flatMap(({ Action }) => [Action].flat()))
  // Every function reads its variables, writes its log, sends traces and runs in the VPC.
  const own = [...actions].filter(
    (action) => !/^(kms:Decrypt$|logs:(CreateLogStream|PutLogEvents)$|xray:Put|ec2:)/.test(action),
  )
  expect(own.sort()).toEqual([...(actionsByFunction[name] ?? [])].sort())
  const logs = `${name.replaceAll('-', '')}Logs`
  const resources = { logs, kms: 'Key', sqs: 'JobsQueue', s3: 'ReportsBucket', 'execute-api': 'SocketsWebSocket' }
  for (const { Action, Resource } of statements) {
    const [service = ''] = String([Action].flat()[0]).split(':')
    const only = Object.entries(resources).find(([one]) => one === service)?.[1]
    if (only !== undefined) for (const one of [Resource].flat()) expect(referredTo(one).slice(0, -8)).toBe(only)
  }
})

it('lets the sweep alone close sockets, and functions send mails from one address by one configuration set', () => {
  const closing = [...stack.listResources('AWS::IAM::Policy', anything)].filter(([, one]) =>
    JSON.stringify(one).includes('/live/DELETE/@connections/'),
  )
  expect(closing.map(([id]) => id)).toEqual([expect.stringMatching(/^sweepRole/)])
  const sending = [...stack.listResources('AWS::IAM::Policy', policy).values()]
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => Action === 'ses:SendRawEmail')
  expect(sending).toEqual([
    expect.objectContaining({ Condition: { StringEquals: { 'ses:FromAddress': 'reports@example.com' } } }),
  ])
  const ends = JSON.stringify(sending).match(/:111111111111:[\w/@.-]+/g)
  const of = ['configuration-set/', 'identity/example.com', 'identity/reports@example.com']
  expect(ends).toEqual(of.map((one) => `:111111111111:${one}`))
})

/** The action that each command of the AWS SDK needs. */
const actionOfCommand: Readonly<Record<string, string>> = {
  AbortMultipartUploadCommand: 's3:AbortMultipartUpload',
  ChangeMessageVisibilityCommand: 'sqs:ChangeMessageVisibility',
  CompleteMultipartUploadCommand: 's3:PutObject',
  CreateMultipartUploadCommand: 's3:PutObject',
  DeleteConnectionCommand: push,
  DeleteObjectCommand: 's3:DeleteObject',
  GetObjectCommand: 's3:GetObject',
  HeadObjectCommand: 's3:GetObject',
  PostToConnectionCommand: push,
  PutObjectCommand: 's3:PutObject',
  SendMessageCommand: 'sqs:SendMessage',
  SendRawEmailCommand: 'ses:SendRawEmail',
  UploadPartCommand: 's3:PutObject',
}

/** Lambda itself uses these, to bring messages to a function. */
const actionsOfLambda = receive.map((name) => `sqs:${name}`)

const clients: Readonly<Record<string, readonly Use[]>> = {
  '@aws-sdk/client-sqs': ['sends jobs'],
  '@aws-sdk/client-s3': ['writes files', 'reads files', 'removes files'],
  '@aws-sdk/client-ses': ['sends mails'],
  '@aws-sdk/client-apigatewaymanagementapi': ['pushes', 'closes sockets'],
}

describe.each(Object.entries(functionSettings))('%s', (name, { uses }) => {
  it('may use the services that its code can call, and no other', async () => {
    const packages = await packagesOfFunction(name)
    for (const [client, needed] of Object.entries(clients)) {
      const allowed = needed.some((use) => uses.includes(use))
      expect({ client, allowed }).toEqual({ client, allowed: packages.has(client) })
    }
  })

  it('has a right for each command that its code can send, and no other', async () => {
    const commands = [...(await commandsOfFunction(name))]
    const needed = new Set(commands.map((command) => actionOfCommand[command] ?? command))
    const sent = (actionsByFunction[name] ?? []).filter((one) => needed.has(one) || !actionsOfLambda.includes(one))
    expect([...needed].sort()).toEqual([...new Set(sent)].sort())
  })
})

it('lets only functions that upload files or sweep them delete some', () => {
  const deleting = Object.entries(functionSettings).filter(([, { uses }]) => uses.includes('removes files'))
  expect(deleting.map(([name]) => name)).toEqual(['bulk-table-action', 'download', 'report-worker', 'sweep'])
})

describe('what is kept', () => {
  const queue = z.object({ SqsManagedSseEnabled: z.literal(true) })
  const bucket = z.object({
    BucketEncryption: z.object({ ServerSideEncryptionConfiguration: z.array(anything).min(1) }),
    PublicAccessBlockConfiguration: z.object({
      BlockPublicAcls: z.literal(true),
      BlockPublicPolicy: z.literal(true),
      IgnorePublicAcls: z.literal(true),
      RestrictPublicBuckets: z.literal(true),
    }),
  })

  it.each([
    ['AWS::SQS::Queue', queue, 2],
    ['AWS::S3::Bucket', bucket, 1],
    ['AWS::RDS::DBCluster', z.object({ StorageEncrypted: z.literal(true), DeletionProtection: z.literal(true) }), 1],
    ['AWS::SNS::Topic', z.object({ KmsMasterKeyId: z.unknown().refine((key) => key !== undefined) }), 2],
    [
      'AWS::Lambda::Function',
      z.object({ KmsKeyArn: z.unknown().refine((key) => key !== undefined) }),
      Object.keys(functionSettings).length + 1,
    ],
    ['AWS::KMS::Key', z.object({ EnableKeyRotation: z.literal(true) }), 1],
  ] as const)('is encrypted in each %s', (type, schema, count) => {
    expect(stack.listResources<unknown>(type, schema).size).toBe(count)
  })

  it('cannot be asked for without TLS', () => {
    const denied = ['AWS::SQS::QueuePolicy', 'AWS::S3::BucketPolicy', 'AWS::SNS::TopicPolicy'].flatMap((type) =>
      [...stack.listResources(type, anything).values()].map((one) => JSON.stringify(one)),
    )
    expect(denied).toHaveLength(5)
    for (const text of denied) expect(text).toContain('"aws:SecureTransport":"false"')
    expect(denied.filter((text) => text.includes('"NumericLessThan":{"s3:TlsVersion":1.2}'))).toHaveLength(1)
    stack.template.hasResourceProperties('AWS::RDS::DBClusterParameterGroup', { Parameters: { 'rds.force_ssl': '1' } })
    single.template.hasResourceProperties('AWS::RDS::DBParameterGroup', { Parameters: { 'rds.force_ssl': '1' } })
    stack.template.hasResourceProperties('AWS::SES::ConfigurationSet', { DeliveryOptions: { TlsPolicy: 'REQUIRE' } })
    const DomainNameConfigurations = [Match.objectLike({ SecurityPolicy: 'TLS_1_2' })]
    stack.template.allResourcesProperties('AWS::ApiGatewayV2::DomainName', { DomainNameConfigurations })
    // Under API Gateway's own name, the settings of the domain would not hold.
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true })
  })

  it('is backed up with a database, which is encrypted, and lets people log in by their own identity', () => {
    const database = { StorageEncrypted: true, CopyTagsToSnapshot: true, EnableIAMDatabaseAuthentication: true }
    const cluster = { ...database, BackupRetentionPeriod: 14, EnableHttpEndpoint: true }
    const instance = { ...database, BackupRetentionPeriod: 7, PubliclyAccessible: false }
    expect(() => {
      stack.template.hasResource('AWS::RDS::DBCluster', { Properties: cluster, DeletionPolicy: 'Snapshot' })
      single.template.hasResource('AWS::RDS::DBInstance', { Properties: instance, DeletionPolicy: 'Snapshot' })
    }).not.toThrow()
  })

  it('belongs to the account, whoever uploads it', () => {
    const OwnershipControls = { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] }
    expect(() => stack.template.hasResourceProperties('AWS::S3::Bucket', { OwnershipControls })).not.toThrow()
  })

  it('is written to no log: neither paths nor queries nor headers, which may hold tokens', () => {
    const stage = z.object({ AccessLogSettings: z.object({ DestinationArn: z.unknown(), Format: z.string() }) })
    const formats = [...stack.listResources('AWS::ApiGatewayV2::Stage', stage).values()]
    expect(formats).toHaveLength(2)
    for (const { AccessLogSettings } of formats) {
      expect(AccessLogSettings.Format).not.toMatch(/\$context\.(path|authorizer|querystring|\w*header)/i)
      expect(AccessLogSettings.Format).toContain('$context.routeKey')
    }
  })

  it.each([
    ['AWS::RDS::DBClusterParameterGroup', fullStage.database],
    ['AWS::RDS::DBParameterGroup', { kind: 'instance', instanceType: 't4g.small', connections: 100 }],
  ] as const)(
    'is in no log of a server that the stack creates, not even a row that is refused: %s',
    (type, database) => {
      const terse = z.object({ Parameters: z.object({ log_error_verbosity: z.literal('terse') }) })
      expect(synthesize({ ...fullStage, database }).listResources(type, terse).size).toBe(1)
    },
  )
})

describe('the topics of alarms and of bounces', () => {
  const ofAccount = { StringEquals: { 'aws:SourceAccount': '111111111111' } }

  it('take messages of CloudWatch and SES for this account alone', () => {
    const publish = [...stack.listResources('AWS::SNS::TopicPolicy', policy).values()]
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Effect }) => Effect === 'Allow')
    const publishers = publish.map(({ Principal }) => JSON.stringify(Principal))
    expect([...new Set(publishers)].sort()).toEqual([
      '{"Service":"cloudwatch.amazonaws.com"}',
      '{"Service":"ses.amazonaws.com"}',
    ])
    for (const { Action, Condition } of publish)
      expect([Action, JSON.stringify(Condition)]).toEqual(['sns:Publish', expect.stringContaining('"111111111111"')])
  })

  it('are encrypted by a key that only these may use, and only for this account', () => {
    const key = z.object({ KeyPolicy: z.object({ Statement: z.array(statement) }) })
    const statements = [...stack.listResources('AWS::KMS::Key', key).values()].flatMap((one) => one.KeyPolicy.Statement)
    expect(statements.slice(1)).toEqual([
      {
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Effect: 'Allow',
        Principal: { Service: ['cloudwatch.amazonaws.com', 'ses.amazonaws.com'] },
        Resource: '*',
        Condition: ofAccount,
      },
    ])
    expect(JSON.stringify(statements[0]?.Principal)).toContain(':iam::111111111111:root')
  })
})

describe('secrets', () => {
  it('are generated long, and of characters that may stand in a URL as they are', () => {
    const generated = z.object({
      GenerateSecretString: z.object({ PasswordLength: z.number(), ExcludePunctuation: z.literal(true) }),
    })
    const secrets = [...stack.listResources('AWS::SecretsManager::Secret', generated).values()]
    expect(secrets.map(({ GenerateSecretString }) => GenerateSecretString.PasswordLength).sort()).toEqual([40, 40, 64])
  })

  it('reach the functions whose code uses them, as references, and no other function', async () => {
    // They could name their callers in the log by it, and do without.
    const unnamed = new Set(['list-tables', 'read-notifications', 'socket-connect'])
    for (const [name, { Environment }] of listFunctions(stack)) {
      const { DATABASE_URL, SERVICE_SECRET } = Environment.Variables
      const refers = (value: unknown) => JSON.stringify(value).includes('{{resolve:secretsmanager:')
      const modules = await modulesOfFunction(name)
      const uses = (...files: string[]) => files.some((file) => modules.has(`lib/${file}.ts`))
      expect({ name, login: refers(DATABASE_URL), secret: refers(SERVICE_SECRET) }).toEqual({
        name,
        login: opensConnections(name) && uses('db/connection', 'db/owner-connection'),
        // With the text that stands for a missing secret, anybody could sign.
        secret:
          uses('storage/download-link', 'query/cursor') || (uses('auth/authenticate-caller') && !unnamed.has(name)),
      })
    }
  })

  it('give away no user name, whose references CloudFormation would count', () => {
    const texts = JSON.stringify(stack.template.toJSON())
    expect(texts).toContain('postgres://table_control_service:')
    expect(texts).not.toContain('SecretString:username')
  })

  it('are read from an existing database, too', () => {
    const [url] = [...listFunctions(synthesize(smallStage)).values()].map(
      (one) => one.Environment.Variables['DATABASE_URL'],
    )
    expect(url).toBe(
      '{{resolve:secretsmanager:arn:aws:secretsmanager:eu-central-1:111111111111:secret:tables-AbCdEf:SecretString:url::}}',
    )
  })
})
