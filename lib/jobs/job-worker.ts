import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Registry } from '../table/registry.ts'
import type { Invocation } from '../telemetry/invocation.ts'

/** What working on jobs takes. */
export interface JobWorker {
  readonly config: Config
  readonly registry: Registry
  /** For what is written down of jobs, at any time. */
  readonly database: Database
  /** For transactions that may last minutes, which must not keep the other from being written. */
  readonly work: Database
  readonly invocation?: Invocation
}
