import type { QueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** The stored workbooks that tests import are signed with it. */
export const serviceSecret = 'fixture-secret-of-more-than-32-characters'

/** The settings of a service over a database, which trusts the tokens of a provider. */
export const serviceEnvironment = (databaseUrl: string, { environment }: Pick<IdentityProvider, 'environment'>) => ({
  DATABASE_URL: databaseUrl,
  DATABASE_TLS: 'off',
  LOG_LEVEL: 'warn',
  SERVICE_SECRET: serviceSecret,
  ...environment,
})

/** The settings of its queue and its bucket. */
export const queueEnvironment = ({ queueUrl, bucket }: Pick<QueueAndStorage, 'queueUrl' | 'bucket'>) => ({
  QUEUE_URL: queueUrl,
  REPORT_BUCKET: bucket,
  STORAGE_PATH_STYLE: 'on',
})
