import { createTokenVerifier, type TokenVerifier } from '../auth/token-verifier.ts'
import { type Config, loadConfig } from '../config.ts'
import { createDatabase, type Database } from '../db/database.ts'
import { findLimit, type UsageLimit } from '../db/usage-limits.ts'
import { RequestError } from '../errors/request-error.ts'
import { log } from '../telemetry/log.ts'
import type { RequestLimiter } from './request-limiter.ts'

/** The resources that all requests of one process share. */
export interface Service {
  readonly config: Config
  readonly database: Database
  readonly verifier: TokenVerifier
  /** Absent while requests are not limited. */
  readonly limiter?: Promise<RequestLimiter>
}

/** Connects nothing and fetches nothing yet. */
export function createService(config: Config): Service {
  const database = createDatabase(config)
  const limit = findLimit(config, 'requests')
  return {
    config,
    database,
    verifier: createTokenVerifier(config),
    ...(limit !== undefined && { limiter: loadLimiter(limit, database) }),
  }
}

/** Loads the limiter while the first request is checked. */
const loadLimiter = async (limit: UsageLimit, database: Database): Promise<RequestLimiter> =>
  (await import('./request-limiter.ts')).createRequestLimiter(
    limit,
    database,
    (...refusal) => new RequestError('too_many_requests', ...refusal),
  )

let processInstance: Service | undefined

/** The service of this process, made of its environment when the first request comes. */
export function processService(): Service {
  if (processInstance === undefined) {
    processInstance = createService(loadConfig())
    warnOfHost(processInstance.config)
  }
  return processInstance
}

/** Clients that make a web URL by deleting the first "/api" also cut it out of "//api.example.com". */
function warnOfHost({ PUBLIC_URL, ACTION_URLS }: Config): void {
  if (ACTION_URLS === 'relative' || PUBLIC_URL === undefined || !new URL(PUBLIC_URL).hostname.startsWith('api.')) return
  const message =
    'PUBLIC_URL starts with "api.", which some clients rewrite; choose another host or ACTION_URLS=relative'
  log('warn', message)
}
