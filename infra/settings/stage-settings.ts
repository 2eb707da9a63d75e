import * as z from 'zod'
import { alarmSettings } from './alarm-settings.ts'
import { maxConnections, minConnections, totalReservedConcurrency, unreservedConcurrency } from './function-settings.ts'

const hostName = z.string().regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, {
  error: 'a host name in lower case, such as "tables.example.com"',
})
const arn = (service: string, example: string) =>
  z.string().regex(new RegExp(`^arn:aws[a-z-]*:${service}:`), { error: `an ARN such as "${example}"` })
const whole = (min: number, max: number) =>
  z
    .int({ error: `a whole number from ${min} to ${max}` })
    .min(min)
    .max(max)
const limit = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}, or "off"`
  return z.union([z.int().min(min).max(max), z.literal('off')], { error })
}
const texts = z.array(z.string().min(1))
const httpsUrl = z.url({ protocol: /^https$/, error: 'a URL such as "https://login.example.com/jwks.json"' })
const origin = z.string().regex(/^(https?:\/\/[^/,\s*]+|\*)$/, {
  error:
    'an origin without a path and without "*" in it, such as "https://app.example.com"; "*" alone is any, without credentials',
})

const domain = z
  .strictObject({
    /** A name that begins with `api.` is rewritten by some clients. */
    http: hostName,
    sockets: hostName,
    /** ARN of a certificate for both names, in the region of the stack. */
    certificateArn: arn('acm', 'arn:aws:acm:eu-central-1:111111111111:certificate/…'),
    /** The zone in which both names are written. Default: the outputs name the records. */
    hostedZone: z.strictObject({ id: z.string().min(1), name: hostName }).optional(),
  })
  .refine(({ http, sockets }) => http !== sockets, {
    error: 'another name than http: API Gateway maps a name to HTTP APIs or to WebSocket APIs',
    path: ['sockets'],
  })
  .refine(({ http, sockets, hostedZone }) => [http, sockets].every((name) => isInZone(name, hostedZone?.name)), {
    error: 'the zone of both names',
    path: ['hostedZone', 'name'],
  })

function isInZone(name: string, zone: string | undefined): boolean {
  return zone === undefined || name === zone || name.endsWith(`.${zone}`)
}

const cognito = z.strictObject({
  userPoolId: z.string().regex(/^[\w-]+_\w+$/, { error: 'a user pool such as "eu-central-1_AbCdEf123"' }),
  clientIds: texts.min(1),
  tokenUse: z.enum(['access', 'id']).default('access'),
})
const issuer = z.strictObject({ issuer: z.string().min(1), audience: texts.min(1), jwksUrl: httpsUrl })

const mail = z.strictObject({
  sender: z.string().regex(/^([^<>\r\n]*<[\w.'+-]+@[a-z0-9.-]+>|[\w.'+-]+@[a-z0-9.-]+)$/, {
    error: 'an address such as "Table Control <reports@example.com>", its domain in lower case and ASCII ("xn--…")',
  }),
  /** Mails go to the caller's own address, to these domains and to these addresses. */
  domains: z.array(hostName).default([]),
  addresses: z.array(z.email()).default([]),
  /** For how many days the link of a report works that was too large for a mail. */
  linkDays: whole(1, 90).default(7),
  /** Whether the sender's domain becomes an identity of SES here; `existing` where the account has it already. */
  identity: z.enum(['created', 'existing']).default('created'),
  /** Address for bounces and complaints. */
  alerts: z.array(z.email()).default([]),
})

/** How many connections the service may open in all. Beyond it, requests are throttled and the database is not. */
const connections = whole(1, 5_000)
/** Whether statements name their caller to policies of row-level security, which migrations must make. */
const rowSecurity = z.enum(['on', 'off']).default('off')
/**
 * The role that the functions log in by. Its password is in a secret of the stage; another name here replaces the
 * login, secret and password included.
 */
const serviceRole = z
  .string()
  .regex(/^(?!pg_|table_control_owner$)[a-z_][a-z0-9_]{0,62}$/, {
    error: 'a role such as "table_control_service", neither the owner of the tables nor one of Postgres ("pg_…")',
  })
  .default('table_control_service')
/** 0: functions reach other services over IPv6 alone, which costs nothing; README.md says what that needs. */
const natGateways = (fallback: number) => z.int({ error: 'a whole number from 0 to 2' }).min(0).max(2).default(fallback)
/**
 * The two zones of the network, which stay. Default: the first two of the region, of which an older account may have
 * one without Lambda or new subnets.
 */
const zones = z
  .array(z.string())
  .length(2)
  .refine(([first, second]) => first !== second, { error: 'two zones' })
  .optional()
const existing = z.strictObject({
  kind: z.literal('existing'),
  /** The complete ARN of a secret of the form `{"url": "postgres://user:password@host:5432/name"}`. */
  secretArn: arn('secretsmanager', 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:tables-AbCdEf'),
  /**
   * The same for the login that owns the tables: deployments then run the migrations, and create the role that
   * `secretArn` names. Default: both are done outside of the deployment.
   */
  ownerSecretArn: arn(
    'secretsmanager',
    'arn:aws:secretsmanager:eu-central-1:111111111111:secret:owner-AbCdEf',
  ).optional(),
  connections,
  rowSecurity,
  /** How Postgres gets its time-outs; `role` for a pooler that refuses them at log-in (lib/README.md, "Poolers"). */
  timeouts: z.enum(['login', 'role']).default('login'),
  /** Authority of the server's certificate: Amazon, as for RDS, or one that browsers know. */
  authority: z.enum(['amazon', 'public']).default('amazon'),
  /** The VPC from which functions reach it. Default: outside of any VPC. */
  vpc: z
    .strictObject({
      id: z.string().regex(/^vpc-[0-9a-f]{8,17}$/, { error: 'a VPC such as "vpc-0123456789abcdef0"' }),
      /** Private ones, with a way to the token issuer, SQS, S3, SES and API Gateway. */
      subnetIds: z
        .array(z.string().regex(/^subnet-[0-9a-f]{8,17}$/, { error: 'a subnet such as "subnet-0123456789abcdef0"' }))
        .min(1)
        .max(16, { error: 'at most 16 subnets, as many as Lambda takes' }),
      securityGroupId: z
        .string()
        .regex(/^sg-[0-9a-f]{8,17}$/, { error: 'a security group such as "sg-0123456789abcdef0"' }),
      /**
       * Whether the VPC has an endpoint of `execute-api` with private DNS, which answers no push under API Gateway's
       * own names. `private-dns`: pushes go by the stage's domain.
       */
      executeApiEndpoint: z.enum(['none', 'private-dns']).default('none'),
    })
    .optional(),
})
const created = z.strictObject({
  kind: z.literal('created'),
  /** Aurora capacity units. Not 0: the sweep asks the database each minute, so that it would never pause. */
  minCapacity: z.number().min(0.5).max(256).multipleOf(0.5),
  maxCapacity: z.number().min(1).max(256).multipleOf(0.5),
  connections,
  rowSecurity,
  serviceRole,
  zones,
  readers: whole(0, 15).default(0),
  /** `off` where the region has no Data API for Aurora, by which people run SQL without a network. */
  dataApi: z.enum(['on', 'off']).default('on'),
  natGateways: natGateways(1),
})
const instance = z.strictObject({
  kind: z.literal('instance'),
  instanceType: z.enum(['t4g.micro', 't4g.small', 't4g.medium']),
  storageGb: whole(20, 65_536).default(20),
  zones,
  connections,
  rowSecurity,
  serviceRole,
  natGateways: natGateways(0),
})

/**
 * Aurora's default of `max_connections` is above this for each unit of the largest size: 189 with 1, 823 with 4, 3,360
 * with 16.
 */
const connectionsPerUnit = 150
/** Aurora allows 2,000 at most where the smallest size is half a unit, and 5,000 at all. */
const connectionsOfSmallest = 1_900
const connectionsOfLargest = 4_900

/**
 * The default of `max_connections` follows memory: about 79 for the first. So many are left beside those of AWS and of
 * people.
 */
const connectionsOfInstance = { 't4g.micro': 55, 't4g.small': 150, 't4g.medium': 350 } as const

const aurorasConnections = ({ minCapacity, maxCapacity }: z.output<typeof created>): number =>
  Math.min(maxCapacity * connectionsPerUnit, minCapacity < 1 ? connectionsOfSmallest : connectionsOfLargest)

type Database = z.output<typeof existing> | z.output<typeof created> | z.output<typeof instance>

interface Budget {
  readonly accountConcurrency: number
  readonly reservedConcurrency: 'on' | 'off'
  readonly maxConcurrentReports: number
  readonly database: { readonly connections: number }
}

interface Fault {
  readonly path: string[]
  readonly message: string
}

/** Returns what the functions could take beyond the database's connections or the account's concurrency. */
function budgetFaults({
  accountConcurrency,
  reservedConcurrency,
  maxConcurrentReports,
  database,
}: Budget): readonly Fault[] {
  const { connections } = database
  const path = ['database', 'connections']
  if (reservedConcurrency === 'off') {
    const maxOpen = maxConnections({ accountConcurrency, maxConcurrentReports })
    const why = 'as many as accountConcurrency lets functions open'
    return connections < maxOpen ? [{ path, message: `at least ${maxOpen}, ${why}` }] : []
  }
  const fewest = minConnections(maxConcurrentReports)
  if (connections < fewest) return [{ path, message: `at least ${fewest}, so that every function can run` }]
  const needed = totalReservedConcurrency({ connections, maxConcurrentReports }) + unreservedConcurrency
  if (needed <= accountConcurrency) return []
  const fix = `fewer database.connections, a larger quota, or reservedConcurrency: 'off'`
  return [{ path: ['accountConcurrency'], message: `at least ${needed} for what functions reserve; ${fix}` }]
}

/** Returns the zones that a stage names for its network. */
export const namedZones = ({ database }: { readonly database: Database }): readonly string[] =>
  database.kind === 'existing' ? [] : (database.zones ?? [])

/** Whether functions post to WebSockets by the stage's own name: API Gateway's names lead to an endpoint of the VPC. */
export const pushesByDomain = ({ database }: { readonly database: Database }): boolean =>
  database.kind === 'existing' && database.vpc?.executeApiEndpoint === 'private-dns'

const settings = z
  .strictObject({
    /** Region of all resources of the stage. */
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, { error: 'a region such as "eu-central-1"' }),
    /** A deployment by credentials of another account is refused. Optional; default: any account. */
    account: z
      .string()
      .regex(/^\d{12}$/, { error: 'an account of 12 digits, such as "111111111111"' })
      .optional(),
    /**
     * `on`: neither the stack nor its database can be deleted. Off for the first deployment of every stage:
     * CloudFormation could not roll it back if it fails.
     */
    deletionProtection: z.enum(['on', 'off']).default('off'),
    /** The account's quota of concurrent executions of Lambda in the region; new accounts have 10. */
    accountConcurrency: whole(10, 100_000).default(1_000),
    /**
     * `off`: no function reserves concurrency; the quota of the account bounds all of them together, and the
     * connections in use. Functions that are frozen between requests keep theirs for up to 90 seconds.
     */
    reservedConcurrency: z.enum(['on', 'off']).default('on'),
    /** `off`: no alarms and no dashboard. */
    monitoring: z.enum(['on', 'off']).default('on'),
    serviceName: z
      .string()
      .regex(/^[a-z][a-z0-9_-]*$/, { error: 'lower-case letters, digits, "_" and "-", such as "table_control"' })
      .default('table_control'),
    guards: texts.min(1).default(['api', 'web']),
    /** Default: the names that API Gateway gives. */
    domain: domain.optional(),
    auth: z.union([cognito, issuer], {
      error: 'either {userPoolId, clientIds} of Cognito, or {issuer, audience, jwksUrl} of any issuer',
    }),
    /** Web pages of other origins are refused. */
    allowedOrigins: z
      .array(origin)
      .refine((origins) => origins.length === 1 || !origins.includes('*'), { error: '"*" stands alone' })
      .default([]),
    allowedHeaders: texts.default([]),
    timeZone: z.string().default('UTC'),
    actionUrls: z.enum(['absolute', 'relative']).default('absolute'),
    itemActions: z.enum(['both', 'row', 'actions']).default('both'),
    advancedFilters: z.enum(['repeated', 'separate']).default('repeated'),
    /** Whether the page /explorer exists, which shows every table to each caller with a token for it. */
    explorer: z.enum(['on', 'off']).default('off'),
    /** Default: no mails. */
    mail: mail.optional(),
    alarms: alarmSettings
      .prefault({})
      .refine(({ monthlyBudget, notify }) => !monthlyBudget || (notify.length > 0 && notify.length <= 10), {
        error: 'needed beside monthlyBudget, which sends mails to at most ten addresses',
        path: ['notify'],
      }),
    database: z.discriminatedUnion('kind', [existing, created, instance]),
    /** Limit for all callers together; twice as many in a burst. */
    requestsPerSecond: whole(1, 10_000).default(50),
    /** Limits of each caller (functions/README.md, "Limits"); `off`: none. `unfinishedJobs` is always on. */
    limits: z
      .strictObject({
        requestsPerMinute: limit(1, 1_000_000).default(600),
        exportsPerHour: limit(1, 1_000_000).default(100),
        /** One request may name ten recipients. */
        mailsPerDay: limit(10, 1_000_000).default(200),
        sockets: limit(1, 10_000).default(20),
        /** Jobs that have not ended. */
        unfinishedJobs: whole(1, 10_000).default(100),
        /** Default: one less than `maxConcurrentReports`, so that there is a worker for other callers. */
        runningJobs: limit(1, 1_000).optional(),
      })
      .prefault({}),
    /** After how many days the sweep removes what is kept. */
    retention: z
      .strictObject({
        auditDays: whole(30, 3_650).default(400),
        /** The values that edits of cells have changed. Default: `auditDays`. */
        historyDays: whole(1, 3_650).optional(),
        jobDays: whole(1, 365).default(90),
        notificationDays: whole(1, 365).default(90),
      })
      .prefault({}),
    /** How many workers run at once: for reports, other jobs and live rows together. */
    maxConcurrentReports: whole(2, 100).default(2),
    /** One more than before makes the next deployment read the secrets again. */
    secretsRevision: whole(1, 1_000_000).default(1),
    /** WebSocket logs need a role that a region of an account has once, for all its APIs. */
    gatewayLogRole: z.enum(['created', 'existing']).default('created'),
  })
  .superRefine((stage, { addIssue }) => {
    for (const { path, message } of budgetFaults(stage)) addIssue({ code: 'custom', path, message })
  })
  .refine(({ database }) => database.kind !== 'created' || database.connections <= aurorasConnections(database), {
    error: `at most ${connectionsPerUnit} for each of maxCapacity, ${connectionsOfSmallest} with minCapacity below 1, and ${connectionsOfLargest}`,
    path: ['database', 'connections'],
  })
  .refine(
    ({ database }) =>
      database.kind !== 'instance' || database.connections <= connectionsOfInstance[database.instanceType],
    {
      error: 'at most 55 for t4g.micro, 150 for t4g.small, 350 for t4g.medium',
      path: ['database', 'connections'],
    },
  )
  .refine(({ database }) => database.kind !== 'existing' || database.rowSecurity === 'off' || database.ownerSecretArn, {
    error: 'needs ownerSecretArn: without it, it is not checked that policies hold for the login of secretArn',
    path: ['database', 'rowSecurity'],
  })
  .refine(({ database }) => database.kind !== 'created' || database.minCapacity <= database.maxCapacity, {
    error: 'at most maxCapacity',
    path: ['database', 'minCapacity'],
  })
  .refine((stage) => namedZones(stage).every((zone) => zone.slice(0, -1) === stage.region && /[a-z]$/.test(zone)), {
    error: 'zones of the region, such as ["eu-central-1a", "eu-central-1b"]',
    path: ['database', 'zones'],
  })
  .refine(({ auth, database }) => database.kind === 'existing' || !('jwksUrl' in auth) || !new URL(auth.jwksUrl).port, {
    error: 'a URL of port 443, the only one that functions reach from the network of a database of their own',
    path: ['auth', 'jwksUrl'],
  })
  .refine((stage) => stage.domain !== undefined || !pushesByDomain(stage), {
    error: 'needed beside executeApiEndpoint: "private-dns", whose VPC answers no push under another name',
    path: ['domain'],
  })

/** Whether the database's certificate is signed by an authority of RDS. */
export const verifiesByAmazon = ({ database }: { readonly database: Database }): boolean =>
  database.kind !== 'existing' || database.authority === 'amazon'

/** The settings of a stage as they are written down. */
export type StageSettings = z.input<typeof settings>

export type Stage = z.output<typeof settings> & { readonly name: string }
export type ExistingDatabaseSettings = z.output<typeof existing>
export type CreatedDatabase = z.output<typeof created>
export type InstanceDatabase = z.output<typeof instance>
export type StageMail = z.output<typeof mail>

/** Checks the settings of a stage. Throws one message that names every wrong or missing setting and its place. */
export function parseStage(name: string, written: unknown): Stage {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name))
    throw new Error(`"${name}" is no name of a stage: up to 20 lower-case letters, digits and hyphens, such as "dev"`)
  // The functions' own settings bring a shorter list of texts along, which holds for the whole process.
  const parsed = settings.safeParse(written, { error: z.locales.en().localeError })
  if (parsed.success) return { name, ...parsed.data }
  const faults = parsed.error.issues.map(({ path, message }) => `  ${['stages', name, ...path].join('.')}: ${message}`)
  throw new Error(`infra/stages.ts is not valid:\n${faults.join('\n')}`)
}
