import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { connectionsPerFunction, type FunctionName, functionSettings } from '../../infra/settings/function-settings.ts'
import type { StageSettings } from '../../infra/settings/stage-settings.ts'
import { loadConfig, maxFileDays } from '../../lib/config.ts'
import { corsPolicy } from '../../lib/http/cors.ts'
import { fullStage, listFunctions, referredTo, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

const stack = synthesize(fullStage)
const small = synthesize(smallStage)
const stacks = [
  ['every setting', stack, fullStage],
  ['the fewest settings', small, smallStage],
] as const

/** A value of the template as CloudFormation would fill it in. */
function deploy(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(/\{\{resolve:[^}]*:(\w*)::\}\}/g, (_, key) => secretValue(key))
  const { Ref, 'Fn::Join': join, 'Fn::GetAtt': attribute } = intrinsic.parse(value)
  if (join !== undefined)
    return deploy(join[1].map((part) => (typeof part === 'string' ? part : deploy(part))).join(join[0]))
  if (Ref === undefined)
    return attribute?.[1] === 'ApiEndpoint' ? 'https://id.execute-api.example.com' : 'host.example.com'
  return stack.resources[Ref]?.Type === 'AWS::SQS::Queue'
    ? 'https://sqs.example.com/111111111111/jobs'
    : Ref.replace('::', '-')
}

const intrinsic = z.object({
  Ref: z.string().optional(),
  'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]).optional(),
  'Fn::GetAtt': z.array(z.string()).optional(),
})
const secretValue = (key: string) =>
  key === 'url' ? 'postgres://user:secret@db.example.com:5432/tables' : 's'.repeat(64)

const findConfig = (of: typeof stack, name: FunctionName) => {
  const variables = listFunctions(of).get(name)?.Environment.Variables ?? {}
  return loadConfig(Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, deploy(value)])))
}

describe.each(stacks)('a stage with %s', (_name, of, settings) => {
  it.each(Object.keys(functionSettings) as FunctionName[])('gives %s all that it needs to start', (name) => {
    expect(findConfig(of, name)).toMatchObject({
      GUARDS: ['api', 'web'],
      DATABASE_TLS: 'verify',
      DATABASE_CONNECTIONS: 1,
    })
  })

  it('runs no more functions at once than there are connections for', () => {
    const connections = [...listFunctions(of)].map(([name, { ReservedConcurrentExecutions: most }]) => {
      const each = connectionsPerFunction(name as FunctionName)
      return each === 0 ? 0 : each * (most ?? Number.POSITIVE_INFINITY)
    })
    const all = connections.reduce((sum, one) => sum + one, 0)
    expect(all).toBeGreaterThan(0)
    expect(all).toBeLessThanOrEqual(settings.database.connections)
  })

  it('reserves concurrency for the functions of tables, also for one without a connection', () => {
    const functions = listFunctions(of)
    const most = (name: FunctionName) => functions.get(name)?.ReservedConcurrentExecutions
    expect(most('list-tables')).toBeGreaterThan(0)
    expect(most('list-tables')).toBe(most('row-refetch'))
    expect(connectionsPerFunction('list-tables')).toBe(0)
  })

  it('keeps every log for a month', () => {
    const logGroup = z.object({ RetentionInDays: z.number() })
    const kept = [...of.listResources('AWS::Logs::LogGroup', logGroup).values()]
    expect(kept.length).toBeGreaterThanOrEqual(22)
    expect(new Set(kept.map(({ RetentionInDays }) => RetentionInDays))).toEqual(new Set([30]))
  })

  it('throttles both gateways at what the stage says, twice as many in a burst', () => {
    const gateway = z.object({ DefaultRouteSettings: z.unknown(), AutoDeploy: z.literal(true) })
    const { requestsPerSecond: rate = 50 } = settings
    expect(
      [...of.listResources('AWS::ApiGatewayV2::Stage', gateway).values()].map((one) => one.DefaultRouteSettings),
    ).toEqual(Array(2).fill({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate }))
  })

  it('logs of each request what RUNBOOK.md searches for', () => {
    const gateway = z.object({
      AccessLogSettings: z.object({ Format: z.string().transform((text) => JSON.parse(text)) }),
    })
    const each = { status: '$context.status', route: '$context.routeKey', source_ip: '$context.identity.sourceIp' }
    const failed = { ...each, integration_error: '$context.integrationErrorMessage' }
    expect(
      [...of.listResources('AWS::ApiGatewayV2::Stage', gateway).values()].map((one) => one.AccessLogSettings.Format),
    ).toEqual([
      expect.objectContaining(failed),
      expect.objectContaining({ ...failed, event: '$context.eventType', connection_id: '$context.connectionId' }),
    ])
  })
})

describe('functions', () => {
  it('run on Node 24 and arm64, from index.cjs', () => {
    const properties = {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    }
    expect(() => stack.template.allResourcesProperties('AWS::Lambda::Function', properties)).not.toThrow()
  })

  it('have room for a report in the worker alone, which alone may call itself by its queue', () => {
    const lambda = z.object({
      Description: z.string(),
      EphemeralStorage: z.object({ Size: z.number() }).optional(),
      RecursiveLoop: z.string().optional(),
    })
    const own = [...stack.listResources('AWS::Lambda::Function', lambda).values()].filter(
      ({ EphemeralStorage, RecursiveLoop }) => EphemeralStorage ?? RecursiveLoop,
    )
    expect(own).toEqual([
      {
        Description: expect.stringMatching(/^functions\/report-worker\.ts /),
        EphemeralStorage: { Size: 2_048 },
        RecursiveLoop: 'Allow',
      },
    ])
  })

  it('have more time than the deadline of a request, and less than the gateway waits', () => {
    const { REQUEST_DEADLINE_MS } = findConfig(stack, 'query-table')
    for (const [name, { Timeout }] of listFunctions(stack)) {
      // No sweep runs into the one of the next minute.
      if (name === 'sweep') expect(Timeout).toBeLessThan(60)
      if (['report-worker', 'sweep', 'migrate'].includes(name)) continue
      expect(Timeout * 1_000).toBeGreaterThan(REQUEST_DEADLINE_MS)
      expect(Timeout).toBeLessThan(30)
    }
  })

  it('have the settings that they use and no others', () => {
    expect(findConfig(stack, 'query-table')).not.toHaveProperty('QUEUE_URL')
    expect(findConfig(stack, 'download')).not.toHaveProperty('MAIL_SENDER')
    expect(findConfig(stack, 'report-worker')).toMatchObject({ MAIL_LINK_DAYS: 30, QUEUE_URL: expect.any(String) })
    expect(findConfig(stack, 'bulk-table-action')).toMatchObject({
      MAIL_ADDRESSES: ['auditor@example.org'],
      MAIL_DOMAINS: ['example.com'],
    })
    expect(findConfig(stack, 'socket-ticket').SOCKET_URL).toBe('wss://sockets.tables.example.com')
    const refers = (variable: string) =>
      referredTo(listFunctions(stack).get('report-worker')?.Environment.Variables[variable])
    expect(refers('QUEUE_URL')).toMatch(/^JobsQueue/)
    expect(refers('MAIL_CONFIGURATION_SET')).toMatch(/^MailConfigurationSet/)
  })

  it('take access tokens of a user pool, and verify their database by the authorities of Amazon unless it says otherwise', () => {
    expect(findConfig(stack, 'query-table').COGNITO_TOKEN_USE).toBe('access')
    const findAuthority = (of: typeof stack, name: string) =>
      listFunctions(of).get(name)?.Environment.Variables['DATABASE_TLS_CA']
    expect([...['query-table', 'migrate', 'explorer'].map((name) => findAuthority(stack, name))]).toEqual([
      ...['/var/task/rds-roots.pem', '/var/task/rds-roots.pem', undefined],
    ])
    expect(findAuthority(small, 'query-table')).toBe('/var/task/rds-roots.pem')
    const database = { ...smallStage.database, authority: 'public', timeouts: 'role' } as StageSettings['database']
    const auth = { userPoolId: 'eu-central-1_AbCdEf123', clientIds: ['one'], tokenUse: 'id' as const }
    const other = synthesize({ ...smallStage, database, auth })
    expect(findConfig(other, 'query-table').COGNITO_TOKEN_USE).toBe('id')
    expect(findAuthority(other, 'query-table')).toBeUndefined()
    expect([small, other].map((of) => findConfig(of, 'query-table').DATABASE_TIMEOUTS)).toEqual(['login', 'role'])
  })
})

describe('jobs', () => {
  it('come one at a time, each failing alone, and no more workers are called than may run', () => {
    stack.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 4 },
    })
    expect(listFunctions(stack).get('report-worker')?.ReservedConcurrentExecutions).toBe(4)
  })

  it('stay hidden for six times as long as the worker may take, and are set aside after ten attempts for two weeks', () => {
    const timeout = listFunctions(stack).get('report-worker')?.Timeout ?? 0
    const redrive = { RedrivePolicy: { maxReceiveCount: 10 }, MessageRetentionPeriod: 4 * 86_400 }
    const queue = { VisibilityTimeout: 6 * timeout, ...redrive }
    for (const properties of [queue, { MessageRetentionPeriod: 14 * 86_400 }])
      expect(() => stack.template.hasResourceProperties('AWS::SQS::Queue', properties)).not.toThrow()
  })
})

describe('the sweep', () => {
  it('is called once each minute, and not for a minute that is over', () => {
    const RetryPolicy = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 }
    expect(() => {
      stack.template.hasResourceProperties('AWS::Events::Rule', { Targets: [Match.objectLike({ RetryPolicy })] })
      stack.template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', RetryPolicy)
    }).not.toThrow()
  })
})

describe('mails', () => {
  it('are reported when they bounce, are complained about or refused, and go to such recipients no more', () => {
    const [feedback = ''] = [...stack.listResources('AWS::SNS::Topic', z.unknown()).keys()].filter((id) =>
      id.startsWith('MailFeedback'),
    )
    const EventDestination = {
      Enabled: true,
      MatchingEventTypes: ['bounce', 'complaint', 'reject'],
      SnsDestination: { TopicARN: { Ref: feedback } },
    }
    expect(() => {
      stack.template.hasResourceProperties('AWS::SES::ConfigurationSetEventDestination', { EventDestination })
      stack.template.hasResourceProperties('AWS::SES::ConfigurationSet', {
        SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
        // Without them the alarms Bounces and Complaints have no values.
        ReputationOptions: { ReputationMetricsEnabled: true },
      })
      stack.template.hasResourceProperties('AWS::SNS::Subscription', {
        Protocol: 'email',
        Endpoint: 'operations@example.com',
        TopicArn: { Ref: feedback },
      })
    }).not.toThrow()
  })
})

describe('files', () => {
  const bucket = z.object({
    LifecycleConfiguration: z.object({
      Rules: z.array(
        z.object({
          ExpirationInDays: z.number().optional(),
          Prefix: z.string().optional(),
          AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.number() }).optional(),
        }),
      ),
    }),
  })

  it.each(stacks)('outlive their links by a day, in a stage with %s', (_name, of) => {
    const [{ LifecycleConfiguration } = { LifecycleConfiguration: { Rules: [] } }] = [
      ...of.listResources('AWS::S3::Bucket', bucket).values(),
    ]
    const days =
      LifecycleConfiguration.Rules.find((rule) => rule.Prefix === undefined && rule.ExpirationInDays !== undefined)
        ?.ExpirationInDays ?? 0
    const { DOWNLOAD_MINUTES, MAIL_LINK_DAYS } = findConfig(of, 'report-worker')
    const mailed = of === stack ? MAIL_LINK_DAYS : 0
    expect(days * 1_440).toBeGreaterThanOrEqual(Math.max(mailed * 1_440, DOWNLOAD_MINUTES) + 1_440)
    // An owner may extend a link to this many days.
    expect(days).toBe(maxFileDays + 2)
    const unfinished = LifecycleConfiguration.Rules.flatMap((rule) => rule.AbortIncompleteMultipartUpload ?? [])
    expect(unfinished).toEqual([{ DaysAfterInitiation: 1 }])
  })

  it('can be read, with their names, by pages that our own host has led to them', () => {
    const rule = {
      AllowedMethods: ['GET', 'HEAD'],
      AllowedOrigins: ['*'],
      ExposedHeaders: ['content-disposition'],
      MaxAge: 7_200,
    }
    const properties = { CorsConfiguration: { CorsRules: Match.arrayWith([rule]) } }
    expect(() => stack.template.hasResourceProperties('AWS::S3::Bucket', properties)).not.toThrow()
  })

  it('can be uploaded by pages to a signed URL, and are gone after a day', () => {
    const rule = { AllowedMethods: ['PUT'], AllowedOrigins: ['*'], AllowedHeaders: ['content-type'], MaxAge: 7_200 }
    const expiry = Match.objectLike({ Prefix: 'imports/', ExpirationInDays: 1, Status: 'Enabled' })
    const properties = {
      CorsConfiguration: { CorsRules: Match.arrayWith([rule]) },
      LifecycleConfiguration: { Rules: Match.arrayWith([expiry]) },
    }
    expect(() => stack.template.hasResourceProperties('AWS::S3::Bucket', properties)).not.toThrow()
  })
})

describe('pages of other origins', () => {
  it('get the same from the gateway as from the local one', () => {
    const { allowOrigins, allowHeaders, allowMethods, allowCredentials, exposeHeaders, maxAge } = corsPolicy(
      findConfig(stack, 'query-table'),
    )
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: allowOrigins,
        AllowHeaders: allowHeaders,
        AllowMethods: allowMethods,
        AllowCredentials: allowCredentials,
        ExposeHeaders: exposeHeaders,
        MaxAge: maxAge,
      },
    })
    expect(allowHeaders).toContain('x-tenant')
  })

  it('are refused where a stage names none', () => {
    expect([...small.listResources('AWS::ApiGatewayV2::Api', z.record(z.string(), z.unknown())).values()]).toEqual(
      [expect.anything(), expect.anything()].map(() =>
        expect.not.objectContaining({ CorsConfiguration: expect.anything() }),
      ),
    )
  })
})

const { hostedZone: _, ...domain } = fullStage.domain ?? { http: '', sockets: '', certificateArn: '' }
const zones = ['eu-central-1b', 'eu-central-1c']
/** Has neither a hosted zone nor an identity of SES, and a database in zones of its choice without the Data API. */
const dependentStage: StageSettings = {
  ...fullStage,
  domain,
  mail: { sender: 'a@example.com', identity: 'existing' },
  database: { ...fullStage.database, dataApi: 'off', zones } as StageSettings['database'],
}

describe('a domain', () => {
  const record = z.object({ Name: z.string(), Type: z.literal('A') })

  it('gets its records where its zone is known, and else outputs that say what to write, and an identity unless there is one', () => {
    const names = [...stack.listResources('AWS::Route53::RecordSet', record).values()].map(({ Name }) => Name)
    expect(names).toEqual(['tables.example.com.', 'sockets.tables.example.com.'])
    stack.template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 2)
    const written = synthesize(dependentStage)
    expect(written.listResources('AWS::Route53::RecordSet', record).size).toBe(0)
    expect(Object.keys(written.outputs).filter((id) => id.includes('DomainTarget'))).toHaveLength(2)
    stack.template.hasResourceProperties('AWS::SES::EmailIdentity', { EmailIdentity: 'example.com' })
    written.template.resourceCountIs('AWS::SES::EmailIdentity', 0)
  })
})

describe('a network', () => {
  it('lies in the zones that a stage names', () => {
    const subnet = z.object({ AvailabilityZone: z.string() })
    const subnets = synthesize(dependentStage).listResources('AWS::EC2::Subnet', subnet)
    expect([...subnets.values()].map(({ AvailabilityZone }) => AvailabilityZone)).toEqual([
      ...zones,
      ...zones,
      ...zones,
    ])
  })
})

describe('the role by which API Gateway logs', () => {
  it('is set after an API and before the stage that needs it, and stays for the other APIs of the region', () => {
    const { template, resources } = stack
    const [account = ''] = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::ApiGateway::Account')
    const api = Object.keys(resources).find((id) => id.startsWith('SocketsWebSocket'))
    const role = { DeletionPolicy: 'Retain', Properties: { ManagedPolicyArns: Match.anyValue() } }
    expect(() => {
      template.hasResource('AWS::ApiGateway::Account', { DeletionPolicy: 'Retain', DependsOn: [api] })
      template.hasResource('AWS::IAM::Role', role)
      template.hasResource('AWS::ApiGatewayV2::Stage', { DependsOn: Match.arrayWith([account]) })
    }).not.toThrow()
  })
})

describe('outputs', () => {
  it('do not offer the Data API of a database that has none', () => {
    const { template, outputs } = synthesize(dependentStage)
    template.hasResourceProperties('AWS::RDS::DBCluster', { EnableHttpEndpoint: false })
    expect(outputs).not.toHaveProperty('DatabaseArn')
  })

  it('name every address that frontends and operators need', () => {
    expect(Object.keys(stack.outputs)).toEqual(
      expect.arrayContaining([
        ...['Url', 'BaseUrlapi', 'BaseUrlweb', 'WebSocketUrl', 'QueueUrl', 'DeadLetterQueueUrl', 'ReportBucketName'],
        ...['MailRecord1', 'MailRecord2', 'MailRecord3', 'DatabaseArn', 'DatabaseEndpoint', 'DatabaseOwnerSecretArn'],
        'DatabaseServiceSecretArn',
      ]),
    )
    expect(stack.outputs['BaseUrlapi']?.Value).toBe('https://tables.example.com/api/api-table/control-tables')
    expect(stack.outputs['WebSocketUrl']?.Value).toBe('wss://sockets.tables.example.com')
    const host = /^(\w+):\/\/SocketsWebSocket\w+\.execute-api\.eu-central-1\..*\/live$/
    const endpoint = listFunctions(small).get('sweep')?.Environment.Variables['SOCKET_ENDPOINT']
    const urls = [small.outputs['WebSocketUrl']?.Value, endpoint].map(deploy)
    expect(urls.map((url) => host.exec(url)?.[1])).toEqual(['wss', 'https'])
  })
})
