import { type Config, loadConfig, noServiceSecret } from '../../lib/config.ts'
import type { Database } from '../stack/database/database.ts'
import { type FunctionName, functionSettings, opensConnections, type Use } from './function-settings.ts'
import type { Stage } from './stage-settings.ts'

/** Facts of a deployment. Each may be a token that CloudFormation resolves. */
export interface Surroundings {
  readonly publicUrl: string
  readonly databaseUrl: string
  /** The path of the certificates of the database's authority. Default: Node's own. */
  readonly databaseAuthority: string | undefined
  readonly serviceSecret: string
  readonly queueUrl: string
  readonly bucketName: string
  /** The origins of the URLs that are signed for uploads. */
  readonly uploadOrigins: readonly string[]
  readonly configurationSet: string | undefined
  readonly socketEndpoint: string
  readonly socketUrl: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** The variables of a function: what every one needs, and what its uses bring along. */
export function functionEnvironment(
  name: FunctionName,
  stage: Stage,
  surroundings: Surroundings,
): Readonly<Record<string, string>> {
  const ofUses = functionSettings[name].uses.map((use) => useVariables(use, stage, surroundings))
  return withoutEmpty(Object.assign({}, stageVariables(stage), connectionVariables(name, surroundings), ...ofUses))
}

/** The stage's settings as the functions will read them. Throws, as a cold start would, where one of them is wrong. */
export const stageConfig = (stage: Stage): Config =>
  loadConfig({
    ...stageVariables(stage),
    DATABASE_URL: 'postgres://checked-when-deployed',
    SERVICE_SECRET: '-'.repeat(32),
  })

const stageVariables = (stage: Stage): Variables => ({
  SERVICE_NAME: stage.serviceName,
  GUARDS: stage.guards.join(),
  ACTION_URLS: stage.actionUrls,
  ITEM_ACTIONS: stage.itemActions,
  ADVANCED_FILTERS: stage.advancedFilters,
  TIME_ZONE: stage.timeZone,
  METRICS_NAMESPACE: `TableControl/${stage.name}`,
  EXPLORER: stage.explorer,
  MAIL: stage.mail === undefined ? 'off' : undefined,
  DATABASE_ROW_SECURITY: stage.database.rowSecurity,
  DATABASE_TIMEOUTS: stage.database.kind === 'existing' ? stage.database.timeouts : undefined,
  ALLOWED_ORIGINS: stage.allowedOrigins.join(),
  ALLOWED_HEADERS: stage.allowedHeaders.join(),
  ...limitVariables(stage),
  ...authVariables(stage),
})

const limitVariables = ({ limits, maxConcurrentReports }: Stage): Variables => ({
  REQUESTS_PER_CALLER: String(limits.requestsPerMinute),
  EXPORTS_PER_CALLER: String(limits.exportsPerHour),
  MAILS_PER_CALLER: String(limits.mailsPerDay),
  SOCKETS_PER_CALLER: String(limits.sockets),
  JOBS_PER_CALLER: String(limits.unfinishedJobs),
  RUNNING_JOBS_PER_CALLER: String(limits.runningJobs ?? maxConcurrentReports - 1),
})

const authVariables = ({ auth }: Stage): Variables =>
  'userPoolId' in auth
    ? {
        COGNITO_USER_POOL_ID: auth.userPoolId,
        COGNITO_CLIENT_ID: auth.clientIds.join(),
        COGNITO_TOKEN_USE: auth.tokenUse,
      }
    : { JWT_ISSUER: auth.issuer, JWT_AUDIENCE: auth.audience.join(), JWKS_URL: auth.jwksUrl }

/** Placeholders for functions that need no secret: the settings are required at startup. They grant no access. */
const noSecrets = {
  DATABASE_URL: 'postgres://none@none.invalid/none',
  SERVICE_SECRET: noServiceSecret,
}

function connectionVariables(name: FunctionName, surroundings: Surroundings): Variables {
  const { publicUrl: PUBLIC_URL, databaseUrl, databaseAuthority, serviceSecret } = surroundings
  return {
    PUBLIC_URL,
    ...noSecrets,
    ...(opensConnections(name) && { DATABASE_URL: databaseUrl, DATABASE_TLS_CA: databaseAuthority }),
    ...(!withoutServiceSecret.includes(name) && { SERVICE_SECRET: serviceSecret }),
  }
}

/** Those of the function that prepares the database, with the login of its owner. It signs nothing. */
export const migrationEnvironment = (
  stage: Stage,
  { url, authority }: Pick<Database, 'url' | 'authority'>,
  ownerUrl: string,
): Readonly<Record<string, string>> =>
  withoutEmpty({
    ...stageVariables(stage),
    ...noSecrets,
    DATABASE_URL: ownerUrl,
    DATABASE_SERVICE_URL: url,
    DATABASE_TLS_CA: authority,
  })

const withoutEmpty = (variables: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(variables).flatMap(([key, value]) => (value ? [[key, value] as const] : [])))

/** They sign nothing. Each reference to a secret that is left out makes room for another function. */
const withoutServiceSecret: readonly FunctionName[] = [
  ...(['explorer', 'route-not-found', 'socket-disconnect', 'socket-ping', 'sweep'] as const),
  // Their requests name no caller in the log.
  ...(['list-tables', 'read-notifications', 'socket-connect'] as const),
]

function useVariables(use: Use, { mail, retention }: Stage, surroundings: Surroundings): Variables {
  switch (use) {
    case 'sends jobs':
      return { QUEUE_URL: surroundings.queueUrl }
    case 'writes files':
      return { REPORT_BUCKET: surroundings.bucketName, MAIL_LINK_DAYS: mail && String(mail.linkDays) }
    case 'reads files':
    case 'removes files':
      return { REPORT_BUCKET: surroundings.bucketName }
    case 'extends links':
      return { MAIL_LINK_DAYS: mail && String(mail.linkDays) }
    case 'chooses recipients':
      return { MAIL_DOMAINS: mail?.domains.join(), MAIL_ADDRESSES: mail?.addresses.join() }
    case 'sends mails':
      return { MAIL_SENDER: mail?.sender, MAIL_CONFIGURATION_SET: surroundings.configurationSet }
    case 'pushes':
    case 'closes sockets':
      return { SOCKET_ENDPOINT: surroundings.socketEndpoint }
    case 'removes rows':
      return {
        AUDIT_DAYS: String(retention.auditDays),
        HISTORY_DAYS: retention.historyDays === undefined ? undefined : String(retention.historyDays),
        JOB_DAYS: String(retention.jobDays),
        NOTIFICATION_DAYS: String(retention.notificationDays),
      }
    case 'names the socket':
      return { SOCKET_URL: surroundings.socketUrl }
    case 'names the uploads':
      return { UPLOAD_ORIGINS: surroundings.uploadOrigins.join() }
  }
}
