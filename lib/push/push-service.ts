import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Invocation } from '../telemetry/invocation.ts'

/** What pushing needs of a service; every request has it too. */
export interface PushService {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
  readonly invocation?: Invocation
}
