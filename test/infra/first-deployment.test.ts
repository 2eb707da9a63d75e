import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseStage, type StageSettings } from '../../infra/settings/stage-settings.ts'
import { ipv6Variables } from '../../infra/stack/placement.ts'
import { stageNamed } from '../../infra/stages.ts'
import {
  createStack,
  fullStage,
  listFunctions,
  referredTo,
  smallStage,
  synthesize,
} from '../support/infra/synthesized-stack.ts'

const protectedStage = synthesize(fullStage)
const protectedStack = createStack(fullStage)
const { name: _, ...personalSettings } = stageNamed('personal')
const personal = synthesize(personalSettings as StageSettings)
const anything = z.record(z.string(), z.unknown())

describe('a stage as it is deployed first', () => {
  const { template } = personal

  it('can be deleted with its database, so that CloudFormation can roll it back', () => {
    template.hasResourceProperties('AWS::RDS::DBInstance', { DeletionProtection: false })
    expect(createStack(personalSettings as StageSettings).terminationProtection).toBe(false)
  })

  it('leaves neither its bucket nor its key behind when it fails, but both when it is deleted later', () => {
    for (const type of ['AWS::S3::Bucket', 'AWS::KMS::Key'])
      expect(() => template.hasResource(type, { DeletionPolicy: 'RetainExceptOnCreate' })).not.toThrow()
  })

  it('leaves its identity of SES to other stages of the account when it is deleted', () => {
    const policies = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
    expect(() => protectedStage.template.hasResource('AWS::SES::EmailIdentity', policies)).not.toThrow()
  })

  it('gives no fixed name to a resource that outlives it, so that a second attempt can create its own', () => {
    const retained = Object.values(template.toJSON()['Resources'] as Record<string, Record<string, unknown>>).filter(
      ({ DeletionPolicy }) => String(DeletionPolicy).startsWith('Retain') || DeletionPolicy === 'Snapshot',
    )
    expect(retained.length).toBeGreaterThan(3)
    for (const { Properties = {} } of retained)
      expect(
        Object.keys(Properties as object).filter(
          (key) =>
            /^(.*Name|.*Identifier)$/.test(key) &&
            key !== 'DBName' &&
            key !== 'DBSubnetGroupName' &&
            key !== 'DBParameterGroupName',
        ),
      ).toEqual([])
  })
})

describe('a reader of the database', () => {
  it('is as large as the writer, whose place it takes', () => {
    const { template } = protectedStage
    expect(() => template.hasResourceProperties('AWS::RDS::DBInstance', { PromotionTier: 1 })).not.toThrow()
  })
})

describe('a stage with deletion protection', () => {
  it('protects its database and its stack', () => {
    protectedStage.template.hasResourceProperties('AWS::RDS::DBCluster', { DeletionProtection: true })
    expect(protectedStack.terminationProtection).toBe(true)
  })

  it('belongs to its region and its account', () => {
    expect(protectedStack.environment).toBe('aws://111111111111/eu-central-1')
  })
})

describe('a stage without NAT gateways', () => {
  it('has no gateway that costs something, and no way in', () => {
    for (const type of ['AWS::EC2::NatGateway', 'AWS::EC2::EIP', 'AWS::EC2::InternetGateway'])
      expect(() => personal.template.resourceCountIs(type, 0)).not.toThrow()
    expect(() => {
      personal.template.resourceCountIs('AWS::EC2::EgressOnlyInternetGateway', 1)
      personal.template.hasResourceProperties('AWS::RDS::DBInstance', { PubliclyAccessible: false })
    }).not.toThrow()
  })

  it('routes IPv6 out of the subnets of the functions, and nothing out of those of the database', () => {
    const route = z.object({ RouteTableId: z.unknown(), DestinationIpv6CidrBlock: z.string().optional() })
    const routes = [...personal.listResources('AWS::EC2::Route', route).values()]
    expect(routes.map(({ DestinationIpv6CidrBlock }) => DestinationIpv6CidrBlock)).toEqual(['::/0', '::/0'])
    for (const { RouteTableId } of routes) expect(referredTo(RouteTableId)).toContain('functionsSubnet')
  })

  it('has its subnets at the addresses that they have with NAT gateways', () => {
    const subnet = z.object({ CidrBlock: z.string() })
    const [none, one, two] = [0, 1, 2].map((natGateways) => {
      const database = { ...fullStage.database, natGateways } as StageSettings['database']
      const all = synthesize({ ...fullStage, database }).listResources('AWS::EC2::Subnet', subnet)
      return [...all].filter(([id]) => !id.includes('public'))
    })
    const blocks = ['10.0.16.0/20', '10.0.32.0/20', '10.0.48.0/24', '10.0.49.0/24']
    expect(none?.map(([, { CidrBlock }]) => CidrBlock)).toEqual(blocks)
    expect(none).toEqual(one)
    expect(one).toEqual(two)
  })

  it('lets functions in the VPC use IPv6, by the endpoints of AWS that have it', () => {
    const vpc = z.object({
      Description: z.string(),
      VpcConfig: z.object({ Ipv6AllowedForDualStack: z.boolean() }).optional(),
      Environment: z.object({ Variables: anything }),
    })
    for (const { Description, VpcConfig, Environment } of personal
      .listResources('AWS::Lambda::Function', vpc)
      .values()) {
      const given = Object.keys(ipv6Variables).filter((key) => key in Environment.Variables)
      expect([Description, given.length > 0]).toEqual([Description, VpcConfig?.Ipv6AllowedForDualStack === true])
    }
    const sockets = z.object({ ProtocolType: z.string(), IpAddressType: z.string().optional() })
    const apis = [...personal.listResources('AWS::ApiGatewayV2::Api', sockets).values()]
    expect(apis.find(({ ProtocolType }) => ProtocolType === 'WEBSOCKET')?.IpAddressType).toBe('dualstack')
  })
})

describe('a stage that reserves no concurrency', () => {
  it('reserves none for any function', () => {
    const reserved = [...listFunctions(personal).values()].map((one) => one.ReservedConcurrentExecutions)
    expect(new Set(reserved)).toEqual(new Set([undefined]))
  })

  it.each<[string, object, string]>([
    [
      'more functions than its database has connections',
      { reservedConcurrency: 'off', accountConcurrency: 1_000 },
      'stages.test.database.connections: at least 1002, as many as accountConcurrency lets functions open',
    ],
    [
      'reservations beyond the quota of the account',
      { accountConcurrency: 10 },
      'stages.test.accountConcurrency: at least 190 for',
    ],
    ['no region', { region: undefined }, 'stages.test.region'],
    ['an account that is none', { account: '1' }, 'stages.test.account: an account of 12 digits'],
    [
      'more connections than a small instance takes',
      { database: { kind: 'instance', instanceType: 't4g.micro', connections: 56 } },
      'database.connections: at most 55 for t4g.micro',
    ],
    [
      'a VPC whose endpoint answers no push, and no domain',
      {
        database: {
          ...smallStage.database,
          vpc: {
            id: 'vpc-01234567',
            subnetIds: ['subnet-0000000a'],
            securityGroupId: 'sg-01234567',
            executeApiEndpoint: 'private-dns',
          },
        },
      },
      'stages.test.domain: needed beside executeApiEndpoint',
    ],
  ])('is refused, as is any other, with %s', (_what, change, message) => {
    expect(() => parseStage('test', { ...smallStage, ...change })).toThrow(message)
  })
})

describe('a VPC whose endpoint of execute-api has private DNS', () => {
  it('is gone around: pushes go by the name of the stage, for which no CNAME is asked', () => {
    const vpc = { id: 'vpc-01234567', subnetIds: ['subnet-0000000a'], securityGroupId: 'sg-01234567' } as const
    const database = { ...smallStage.database, vpc: { ...vpc, executeApiEndpoint: 'private-dns' } }
    const domain = { ...fullStage.domain, hostedZone: undefined }
    const stack = synthesize({ ...smallStage, domain, database } as StageSettings)
    expect(listFunctions(stack).get('sweep')?.Environment.Variables['SOCKET_ENDPOINT']).toBe(
      'https://sockets.tables.example.com',
    )
    const described = Object.entries(stack.outputs).filter(([id]) => id.includes('DomainTarget'))
    expect(described.map(([, { Description }]) => Description)).toEqual([
      'Where tables.example.com must point to (CNAME)',
      'Where sockets.tables.example.com must point to (an alias record, not a CNAME)',
    ])
  })
})

describe('asynchronous calls', () => {
  it('are not repeated for the sweep, and the worker may send to its own queue', () => {
    const config = z.object({ FunctionName: z.unknown(), MaximumRetryAttempts: z.number() })
    const retries = [...personal.listResources('AWS::Lambda::EventInvokeConfig', config).values()]
    expect(
      retries.map(({ FunctionName, MaximumRetryAttempts }) => [referredTo(FunctionName), MaximumRetryAttempts]),
    ).toEqual(expect.arrayContaining([[listFunctions(personal).get('sweep')?.id, 0]]))
    personal.template.hasResourceProperties('AWS::Lambda::Function', { RecursiveLoop: 'Allow', Timeout: 900 })
  })
})
