import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { stageConfig } from '../../infra/settings/function-environment.ts'
import { parseStage, type StageSettings } from '../../infra/settings/stage-settings.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { fullStage, listFunctions, listWarnings, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

const vpc = { id: 'vpc-01234567', subnetIds: ['subnet-0000000a', 'subnet-0000000b'], securityGroupId: 'sg-01234567' }

describe('an existing database', () => {
  it('costs no network of ours, unless it is in one', () => {
    synthesize(smallStage).template.resourceCountIs('AWS::EC2::VPC', 0)
    const inside = synthesize({
      ...smallStage,
      database: { ...smallStage.database, vpc } as StageSettings['database'],
    })
    inside.template.resourceCountIs('AWS::EC2::VPC', 0)
    inside.template.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: {
        SubnetIds: ['subnet-0000000a', 'subnet-0000000b'],
        SecurityGroupIds: ['sg-01234567'],
        Ipv6AllowedForDualStack: false,
      },
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

const catchMessage = (run: () => unknown): string => {
  try {
    run()
    return ''
  } catch (error) {
    return String(error)
  }
}

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
    [
      'keys that come without TLS',
      { auth: { ...smallStage.auth, jwksUrl: 'http://login.example.com/keys' } },
      'stages.test.auth.jwksUrl: a URL such as "https://',
    ],
    ['clients of no pool', { auth: { userPoolId: 'x', clientIds: ['a'] } }, 'auth.userPoolId: a user pool such as'],
    ['any origin beside another', { allowedOrigins: ['*', 'https://a.example.com'] }, '"*" stands alone'],
    ['origins by a pattern', { allowedOrigins: ['https://*.example.com'] }, 'allowedOrigins.0: an origin without'],
    [
      'a certificate that is none',
      { domain: { ...fullStage.domain, certificateArn: 'arn:aws:iam::1:a' } },
      'an ARN such',
    ],
    [
      'a host name in capitals',
      { domain: { ...fullStage.domain, http: 'A.example.com' } },
      'domain.http: a host name in',
    ],
    [
      'one host name for both APIs',
      { domain: { ...fullStage.domain, sockets: fullStage.domain?.http } },
      'domain.sockets: another name than http',
    ],
    [
      'a host name outside of its zone',
      { domain: { ...fullStage.domain, http: 'tables.anexample.com' } },
      'domain.hostedZone.name: the zone of both names',
    ],
    [
      'a host name of a longer part than DNS has',
      { domain: { ...fullStage.domain, http: `${'a'.repeat(64)}.example.com` } },
      'domain.http: a host name in',
    ],
    [
      'keys at a port that its network does not reach',
      { database: fullStage.database, auth: { ...smallStage.auth, jwksUrl: 'https://login.example.com:8443/keys' } },
      'auth.jwksUrl: a URL of port 443',
    ],
    [
      'zones of another region',
      { database: { ...fullStage.database, zones: ['us-east-1a', 'eu-central-1b'] } },
      'database.zones: zones of the region',
    ],
    [
      'one zone twice',
      { database: { ...fullStage.database, zones: ['eu-central-1b', 'eu-central-1b'] } },
      'database.zones: two zones',
    ],
    [
      'more subnets than Lambda takes',
      { database: { ...smallStage.database, vpc: { ...vpc, subnetIds: Array(17).fill(vpc.subnetIds[0]) } } },
      'database.vpc.subnetIds: at most 16',
    ],
    [
      'more addresses than a budget takes',
      { alarms: { monthlyBudget: 30, notify: Array.from({ length: 11 }, (_, at) => `a${at}@example.com`) } },
      'alarms.notify: needed beside monthlyBudget, which sends mails to at most ten',
    ],
    [
      'the owner of the tables as the role of its functions',
      { database: { ...fullStage.database, serviceRole: 'table_control_owner' } },
      'serviceRole: a role such as',
    ],
    [
      'a role that SQL would read',
      { database: { ...fullStage.database, serviceRole: "a'b" } },
      'serviceRole: a role such as',
    ],
    [
      'a database that is smaller than its smallest size',
      { database: { ...fullStage.database, minCapacity: 9 } },
      'stages.test.database.minCapacity: at most maxCapacity',
    ],
    [
      'more connections than half a unit lets Aurora open',
      { database: { ...fullStage.database, maxCapacity: 256, connections: 1_901 } },
      'database.connections: at most 150 for each of maxCapacity, 1900 with',
    ],
    [
      'more connections than any size lets Aurora open',
      {
        accountConcurrency: 9_000,
        database: { ...fullStage.database, minCapacity: 1, maxCapacity: 256, connections: 4_901 },
      },
      'minCapacity below 1, and 4900',
    ],
    [
      'more connections than a t4g.small takes',
      { accountConcurrency: 2_000, database: { kind: 'instance', instanceType: 't4g.small', connections: 151 } },
      'database.connections: at most 55 for t4g.micro, 150 for',
    ],
    [
      'a database that pauses',
      { database: { ...fullStage.database, minCapacity: 0 } },
      'database.minCapacity: Too small',
    ],
    [
      'two lines in its sender',
      { mail: { sender: 'a@example.com\r\nBcc: b@example.com' } },
      'stages.test.mail.sender: an address',
    ],
    ['a sender that is none', { mail: { sender: 'me' } }, 'stages.test.mail.sender: an address such as "Table Control'],
    [
      'a sender whose domain is in capitals',
      { mail: { sender: 'a@Example.com' } },
      'stages.test.mail.sender: an address',
    ],
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

  it.each([
    ['requestsPerSecond', 1, 10_000],
    ['maxConcurrentReports', 2, 100],
    ['secretsRevision', 1, 1_000_000],
    ['mail.linkDays', 1, 90],
    ['database.readers', 0, 15],
    ['database.natGateways', 0, 2],
    ['limits.requestsPerMinute', 1, 1_000_000],
    ['limits.exportsPerHour', 1, 1_000_000],
    ['limits.mailsPerDay', 10, 1_000_000],
    ['limits.sockets', 1, 10_000],
    ['limits.unfinishedJobs', 1, 10_000],
    ['limits.runningJobs', 1, 1_000],
    ['retention.auditDays', 30, 3_650],
    ['retention.historyDays', 1, 3_650],
    ['retention.jobDays', 1, 365],
    ['retention.notificationDays', 1, 365],
    ['alarms.latencyMs', 1, 25_000],
    ['alarms.oldestMessageMinutes', 1, 1_440],
    ['alarms.errorPercent', 0.01, 100],
  ] as const)('may set %s from %d to %d, and to nothing beyond', (path, min, max) => {
    const [group = '', name] = path.split('.')
    const given = fullStage[group as keyof StageSettings] as object | undefined
    const hasFault = (value: number) => {
      const change = name === undefined ? value : { ...given, [name]: value }
      const faults = catchMessage(() => parseStage('test', { ...fullStage, [group]: change }))
      return faults.includes(`stages.test.${path}: `)
    }
    expect([min - 1, min, max, max + 1].map(hasFault)).toEqual([true, false, false, true])
  })

  it('gives its functions each limit and each span that it sets', () => {
    const set = synthesize({
      ...smallStage,
      actionUrls: 'relative',
      itemActions: 'row',
      advancedFilters: 'separate',
      explorer: 'on',
      limits: {
        requestsPerMinute: 1,
        exportsPerHour: 2,
        mailsPerDay: 13,
        sockets: 4,
        unfinishedJobs: 5,
        runningJobs: 6,
      },
      retention: { auditDays: 37, historyDays: 8, jobDays: 9, notificationDays: 10 },
    })
    expect(listFunctions(set).get('sweep')?.Environment.Variables).toMatchObject({
      REQUESTS_PER_CALLER: '1',
      EXPORTS_PER_CALLER: '2',
      MAILS_PER_CALLER: '13',
      SOCKETS_PER_CALLER: '4',
      JOBS_PER_CALLER: '5',
      RUNNING_JOBS_PER_CALLER: '6',
      MAIL: 'off',
      EXPLORER: 'on',
      ACTION_URLS: 'relative',
      ITEM_ACTIONS: 'row',
      ADVANCED_FILTERS: 'separate',
      AUDIT_DAYS: '37',
      HISTORY_DAYS: '8',
      JOB_DAYS: '9',
      NOTIFICATION_DAYS: '10',
    })
  })

  it('has the limits and the spans that README.md states, where it sets none', () => {
    expect(listFunctions(synthesize(smallStage)).get('sweep')?.Environment.Variables).toMatchObject({
      REQUESTS_PER_CALLER: '600',
      EXPORTS_PER_CALLER: '100',
      MAILS_PER_CALLER: '200',
      SOCKETS_PER_CALLER: '20',
      JOBS_PER_CALLER: '100',
      RUNNING_JOBS_PER_CALLER: '1',
      EXPLORER: 'off',
      ITEM_ACTIONS: 'both',
      AUDIT_DAYS: '400',
      JOB_DAYS: '90',
      NOTIFICATION_DAYS: '90',
      ACTION_URLS: 'absolute',
    })
    expect(parseStage('test', { ...smallStage, mail: { sender: 'a@example.com' } })).toMatchObject({
      requestsPerSecond: 50,
      maxConcurrentReports: 2,
      deletionProtection: 'off',
      monitoring: 'on',
      mail: { linkDays: 7, identity: 'created', domains: [], addresses: [] },
    })
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
