import * as z from 'zod'
import { alarmSettings } from './alarm-settings.ts'
import { fewestConnections } from './function-settings.ts'

const hostName = z.string().regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, {
  error: 'a host name in lower case, such as "tables.example.com"',
})
const arn = (service: string, example: string) =>
  z.string().regex(new RegExp(`^arn:aws[a-z-]*:${service}:`), { error: `an ARN such as "${example}"` })
const whole = (least: number, most: number) =>
  z
    .int({ error: `a whole number from ${least} to ${most}` })
    .min(least)
    .max(most)
const texts = z.array(z.string().min(1))
const httpsUrl = z.url({ protocol: /^https$/, error: 'a URL such as "https://login.example.com/jwks.json"' })
const origin = z.string().regex(/^(https?:\/\/[^/,\s*]+|\*)$/, {
  error:
    'an origin without a path and without "*" in it, such as "https://app.example.com"; "*" alone is any, without credentials',
})

const domain = z.strictObject({
  /** A name that begins with `api.` is rewritten by some clients. */
  http: hostName,
  sockets: hostName,
  /** Of a certificate for both names, in the stack's region. */
  certificateArn: arn('acm', 'arn:aws:acm:eu-central-1:111111111111:certificate/…'),
  /** Where both names are written to; left out: the outputs say what to write. */
  hostedZone: z.strictObject({ id: z.string().min(1), name: hostName }).optional(),
})

const cognito = z.strictObject({
  userPoolId: z.string().regex(/^[\w-]+_\w+$/, { error: 'a user pool such as "eu-central-1_AbCdEf123"' }),
  clientIds: texts.min(1),
  tokenUse: z.enum(['access', 'id']).default('access'),
})
const issuer = z.strictObject({ issuer: z.string().min(1), audience: texts.min(1), jwksUrl: httpsUrl })

const mail = z.strictObject({
  sender: z.string().regex(/^([^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, {
    error: 'an address such as "Table Control <reports@example.com>"',
  }),
  /** Mails go to the caller's own address, to these domains and to these addresses. */
  domains: z.array(hostName).default([]),
  addresses: z.array(z.email()).default([]),
  /** For how many days the link of a report works that was too large for a mail. */
  linkDays: whole(1, 90).default(7),
  /** Whether the sender's domain becomes an identity of SES here; `existing` where the account has it already. */
  identity: z.enum(['created', 'existing']).default('created'),
  /** Who is told of bounces and complaints. */
  alerts: z.array(z.email()).default([]),
})

/** How many connections the service may open in all. Beyond it, requests are throttled and the database is not. */
const connections = whole(1, 5_000)
/** Whether statements name their caller to policies of row-level security, which migrations have to make. */
const rowSecurity = z.enum(['on', 'off']).default('off')
const brought = z.strictObject({
  kind: z.literal('brought'),
  /** The complete ARN of a secret of the form `{"url": "postgres://user:password@host:5432/name"}`. */
  secretArn: arn('secretsmanager', 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:tables-AbCdEf'),
  /**
   * The same for the login that owns the tables: deployments then run the migrations, and create the role that `secretArn`
   * names. Left out: both are somebody else's.
   */
  ownerSecretArn: arn(
    'secretsmanager',
    'arn:aws:secretsmanager:eu-central-1:111111111111:secret:owner-AbCdEf',
  ).optional(),
  connections,
  rowSecurity,
  /** Where Postgres gets its time-outs from; `role` for a pooler that refuses them at log-in (lib/README.md, "Poolers"). */
  timeouts: z.enum(['login', 'role']).default('login'),
  /** Who signed the server's certificate: Amazon, as for RDS, or an authority that every browser knows. */
  authority: z.enum(['amazon', 'public']).default('amazon'),
  /** Where the functions have to be to reach it; left out: outside of any VPC. */
  vpc: z
    .strictObject({
      id: z.string().regex(/^vpc-[0-9a-f]{8,17}$/, { error: 'a VPC such as "vpc-0123456789abcdef0"' }),
      /** Private ones, with a way to the token issuer, SQS, S3, SES and API Gateway. */
      subnetIds: z
        .array(z.string().regex(/^subnet-[0-9a-f]{8,17}$/, { error: 'a subnet such as "subnet-0123456789abcdef0"' }))
        .min(1),
      securityGroupId: z
        .string()
        .regex(/^sg-[0-9a-f]{8,17}$/, { error: 'a security group such as "sg-0123456789abcdef0"' }),
    })
    .optional(),
})
const created = z.strictObject({
  kind: z.literal('created'),
  /** Aurora capacity units. Not 0: the sweep asks the database each minute, so that it would never pause. */
  leastUnits: z.number().min(0.5).max(256).multipleOf(0.5),
  mostUnits: z.number().min(1).max(256).multipleOf(0.5),
  connections,
  rowSecurity,
  readers: whole(0, 15).default(0),
  natGateways: whole(1, 2).default(1),
})

/** At least so many connections per unit of the database's largest size are there to be had: 2 GiB each, 10 MiB a connection. */
const connectionsPerUnit = 150

const settings = z
  .strictObject({
    serviceName: z
      .string()
      .regex(/^[a-z][a-z0-9_-]*$/, { error: 'lower-case letters, digits, "_" and "-", such as "table_control"' })
      .default('table_control'),
    guards: texts.min(1).default(['api', 'web']),
    /** Left out: the names that API Gateway gives. */
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
    /** Whether the page /explorer is there, which shows every table to whoever has a token for it. */
    explorer: z.enum(['on', 'off']).default('off'),
    /** Left out: no mails. */
    mail: mail.optional(),
    alarms: alarmSettings.prefault({}),
    database: z.discriminatedUnion('kind', [brought, created]),
    /** Of all callers together; twice as many in a burst. */
    requestsPerSecond: whole(1, 10_000).default(50),
    /** How many reports and other jobs are worked on at once. */
    reportsAtOnce: whole(2, 100).default(2),
    /** One more than before makes the next deployment read the secrets again. */
    secretsRevision: whole(1, 1_000_000).default(1),
    /** WebSocket logs need a role that a region of an account has once, for all its APIs. */
    gatewayLogRole: z.enum(['created', 'existing']).default('created'),
  })
  .superRefine(({ database, reportsAtOnce }, { addIssue }) => {
    const fewest = fewestConnections(reportsAtOnce)
    const message = `at least ${fewest}, so that every function can run`
    if (database.connections < fewest) addIssue({ code: 'custom', message, path: ['database', 'connections'] })
  })
  .refine(
    ({ database }) => database.kind === 'brought' || database.connections <= database.mostUnits * connectionsPerUnit,
    { error: `at most ${connectionsPerUnit} for each of mostUnits`, path: ['database', 'connections'] },
  )
  .refine(({ database }) => database.kind === 'created' || database.rowSecurity === 'off' || database.ownerSecretArn, {
    error:
      'needs ownerSecretArn: without it, nobody looks whether the login of secretArn is one that policies hold for',
    path: ['database', 'rowSecurity'],
  })
  .refine(({ database }) => database.kind === 'brought' || database.leastUnits <= database.mostUnits, {
    error: 'at most mostUnits',
    path: ['database', 'leastUnits'],
  })

/** The settings of a stage as they are written down. */
export type StageSettings = z.input<typeof settings>

export type Stage = z.output<typeof settings> & { readonly name: string }
export type BroughtDatabase = z.output<typeof brought>
export type CreatedDatabase = z.output<typeof created>
export type StageMail = z.output<typeof mail>

/** Checks the settings of a stage. Throws one message that names every wrong or missing setting and its place. */
export function parseStage(name: string, written: unknown): Stage {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name))
    throw new Error(`"${name}" is no name of a stage: up to 20 lower-case letters, digits and hyphens, such as "dev"`)
  // The functions' own settings bring a shorter list of texts along, which holds for the whole process.
  const parsed = settings.safeParse(written, { error: z.locales.en().localeError })
  if (parsed.success) return { name, ...parsed.data }
  const faults = parsed.error.issues.map(({ path, message }) => `  ${['stages', name, ...path].join('.')}: ${message}`)
  throw new Error(`infra/stages.ts is not right:\n${faults.join('\n')}`)
}
