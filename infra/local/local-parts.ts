import type { Mail } from './mail/mail.ts'
import type { QueueAndStorage } from './queue/queue-and-storage.ts'

/** The local services that the functions use, and the addresses of the functions. */
export interface LocalParts {
  readonly directory: string
  readonly port: number
  readonly socketPort: number
  readonly releaseSocketPort: () => Promise<void>
  /** URL of the login that owns the tables. */
  readonly ownerUrl: string
  /** URL of the functions' login: the same, or a role that owns nothing. */
  readonly databaseUrl: string
  readonly jwksUrl: string
  readonly demoUsersUrl: string
  readonly queue: QueueAndStorage
  readonly mail: Mail
}

/** The endpoints of those parts. */
export interface LocatedParts extends Pick<LocalParts, 'port' | 'socketPort' | 'ownerUrl' | 'databaseUrl' | 'jwksUrl'> {
  readonly queue: Pick<QueueAndStorage, 'endpoint' | 'findQueueUrl'>
  readonly mail: Pick<Mail, 'endpoint'>
}
