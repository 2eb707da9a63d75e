import type { Mail } from './mail/mail.ts'
import type { QueueAndStorage } from './queue/queue-and-storage.ts'

/** What the functions depend on, and where they will be reached. */
export interface LocalParts {
  readonly directory: string
  readonly port: number
  readonly socketPort: number
  /** Of the login that owns the tables. */
  readonly ownerUrl: string
  /** Of the login of the functions: the same, or a role that owns nothing. */
  readonly databaseUrl: string
  readonly jwksUrl: string
  readonly demoUsersUrl: string
  readonly queue: QueueAndStorage
  readonly mail: Mail
}

/** Of those parts, where they are. */
export interface LocatedParts extends Pick<LocalParts, 'port' | 'socketPort' | 'ownerUrl' | 'databaseUrl' | 'jwksUrl'> {
  readonly queue: Pick<QueueAndStorage, 'endpoint' | 'urlOf'>
  readonly mail: Pick<Mail, 'endpoint'>
}
