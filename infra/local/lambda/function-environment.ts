import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isOwnDatabase } from '../database/database-tls.ts'
import { localStage } from '../gateway/socket-event.ts'
import { audience, issuer } from '../identity/mint-token.ts'
import { accountVariables } from '../local-account.ts'
import { readOrCreate } from '../local-directory.ts'
import type { LocalParts } from '../local-parts.ts'

/** Returns the variables of the functions. A variable of the process wins, except for those that this start decides. */
export function functionEnvironment(parts: LocalParts): Readonly<Record<string, string>> {
  const { directory, port, databaseUrl, jwksUrl, demoUsersUrl } = parts
  const given = Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return {
    DATABASE_CONNECTIONS: '8',
    // The terminal shows failures only, with their messages; LOG_LEVEL=info shows the line of every request.
    LOG_LEVEL: 'warn',
    LOG_MESSAGES: 'all',
    ...(isOwnDatabase(databaseUrl) && { DATABASE_TLS: 'off' }),
    EXPLORER: 'on',
    ALLOWED_ORIGINS: 'http://localhost:5173,http://localhost:3001,http://localhost:4200',
    SERVICE_SECRET: readSecret(directory),
    ...servicesEnvironment(parts),
    ...Object.fromEntries(given),
    // A profile would win over the keys, and would sign for an account that has nothing to do with any of this.
    AWS_PROFILE: '',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    DATABASE_URL: databaseUrl,
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
    JWKS_URL: jwksUrl,
    EXPLORER_DEMO_USERS: demoUsersUrl,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  }
}

const readSecret = (directory: string) =>
  readOrCreate(
    join(directory, 'service-secret'),
    () => randomBytes(32).toString('hex'),
    ({ length }) => length >= 32,
  )

/** The first lines are settings of the service, the others are known to every AWS SDK. */
const servicesEnvironment = ({ queue, mail, socketPort }: LocalParts) => ({
  QUEUE_URL: queue.queueUrl,
  REPORT_BUCKET: queue.bucket,
  UPLOAD_ORIGINS: queue.endpoint,
  STORAGE_PATH_STYLE: 'on',
  MAIL_SENDER: 'Table Control <reports@example.com>',
  MAIL_DOMAINS: 'example.com',
  // For `npm run smoke`, as a stage allows it.
  MAIL_ADDRESSES: 'success@simulator.amazonses.com',
  SOCKET_ENDPOINT: `http://127.0.0.1:${socketPort}/${localStage}`,
  SOCKET_URL: `ws://127.0.0.1:${socketPort}/${localStage}`,
  ...accountVariables,
  AWS_ENDPOINT_URL_SQS: queue.endpoint,
  AWS_ENDPOINT_URL_S3: queue.endpoint,
  AWS_ENDPOINT_URL_SES: mail.endpoint,
})
