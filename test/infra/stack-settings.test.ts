import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { stageConfig } from '../../infra/settings/function-environment.ts'
import { parseStage, type StageSettings } from '../../infra/settings/stage-settings.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { fullStage, listFunctions, listWarnings, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

describe('an existing database', () => {
  it('costs no network of ours, unless it is in one', () => {
    synthesize(smallStage).template.resourceCountIs('AWS::EC2::VPC', 0)
    const vpc = {
      id: 'vpc-01234567',
      subnetIds: ['subnet-0000000a', 'subnet-0000000b'],
      securityGroupId: 'sg-01234567',
    }
    const inside = synthesize({
      ...smallStage,
      database: { ...smallStage.database, vpc } as StageSettings['database'],
    })
    inside.template.resourceCountIs('AWS::EC2::VPC', 0)
    inside.template.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: ['subnet-0000000a', 'subnet-0000000b'], SecurityGroupIds: ['sg-01234567'] },
    })
    // Functions that fetch the keys of tokens can reach them, with a database or without.
    const placed = z.object({ Description: z.string(), VpcConfig: z.unknown().optional() })
    const outside = [...inside.listResources('AWS::Lambda::Function', placed).values()].flatMap(
      ({ Description, VpcConfig }) => (VpcConfig === undefined ? [/^functions\/(.+)\.ts /.exec(Description)?.[1]] : []),
    )
    expect(outside.sort()).toEqual(['explorer', 'route-not-found', 'socket-ping'])
  })
})

describe('stages.ts', () => {
  it.each(stageNames)('has settings of %s that the functions accept', (name) => {
    expect(stageConfig(stageNamed(name)).GUARDS).toEqual(['api', 'web'])
  })

  it('reports a name that it does not have', () => {
    expect(() => stageNamed('toString')).toThrow(
      'infra/stages.ts has no stage "toString"; use one of dev, personal, production',
    )
  })
})

describe('a stage', () => {
  const wrong: readonly (readonly [string, object, string])[] = [
    ['a setting that there is not', { databse: {} }, 'Unrecognized key: "databse"'],
    [
      'no way to check tokens',
      { auth: { issuer: 'x' } },
      'stages.test.auth: either {userPoolId, clientIds} of Cognito',
    ],
    [
      'an origin with a path',
      { allowedOrigins: ['https://a.example.com/'] },
      'stages.test.allowedOrigins.0: an origin',
    ],
    [
      'too few connections',
      { database: { ...smallStage.database, connections: 3 } },
      'stages.test.database.connections: at least 45, so that',
    ],
    [
      'too few connections for its reports',
      { maxConcurrentReports: 50 },
      'database.connections: at least 141, so that',
    ],
    [
      'row-level security for a login that no check covers',
      { database: { ...smallStage.database, rowSecurity: 'on' } },
      'stages.test.database.rowSecurity: needs ownerSecretArn',
    ],
    ['a sender that is none', { mail: { sender: 'me' } }, 'stages.test.mail.sender: an address such as "Table Control'],
    ['a sender whose domain is not ASCII', { mail: { sender: 'a@مثال.sa' } }, 'stages.test.mail.sender: an address'],
    [
      'a time zone that is none',
      { timeZone: 'Mars' },
      'TIME_ZONE: not an IANA time zone in full, such as "Asia/Riyadh"',
    ],
  ]

  it.each(wrong)('a stage with %s is refused, and the error names the setting', (_what, change, message) => {
    expect(() => synthesize({ ...smallStage, ...change })).toThrow(message)
  })

  it('may not promise more connections than its database can have', () => {
    const database = { kind: 'created', minCapacity: 0.5, maxCapacity: 1, connections: 400 } as const
    expect(() => synthesize({ ...smallStage, database })).toThrow(
      'database.connections: at most 150 for each of maxCapacity',
    )
  })

  it.each([
    [undefined, 'off'],
    ['on', 'on'],
  ] as const)('has row-level security told of callers where it says so: %s', (rowSecurity, expected) => {
    const ownerSecretArn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:owner-AbCdEf'
    const given = { ownerSecretArn, ...(rowSecurity && { rowSecurity }) }
    const database = { ...smallStage.database, ...given } as StageSettings['database']
    expect(stageConfig(parseStage('test', { ...smallStage, database })).DATABASE_ROW_SECURITY).toBe(expected)
  })

  it('is warned of a host name that some clients rewrite', () => {
    const { domain } = fullStage
    const renamed = { ...fullStage, domain: domain && { ...domain, http: 'api.example.com' } } as StageSettings
    expect(listWarnings(renamed).filter((text) => text.includes('api.example.com starts with'))).toHaveLength(1)
  })

  it.each([
    [['mobile'], 1],
    [['mobile', 'web'], 1],
    [['web'], 0],
    [['mobile', 'api'], 0],
  ])('is warned of guards among which the URLs of actions lead nowhere: %j', (guards, warnings) => {
    const found = listWarnings({ ...smallStage, guards }).filter((text) => text.includes('guards has no "api"'))
    expect(found).toHaveLength(warnings)
  })

  it('makes every function read its secrets again', () => {
    const descriptions = (settings: StageSettings) =>
      [...listFunctions(synthesize(settings)).values()].map(({ Description }) => Description)
    const before = descriptions(smallStage)
    expect(descriptions({ ...smallStage, secretsRevision: 2 }).filter((one) => before.includes(one))).toEqual([])
  })
})
