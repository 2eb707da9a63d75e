import { createTokenVerifier, type TokenVerifier } from '../auth/token-verifier.ts'
import { type Config, loadConfig } from '../config.ts'
import { createDatabase, type Database } from '../db/database.ts'

/** What all requests of one process share. */
export interface Service {
  readonly config: Config
  readonly database: Database
  readonly verifier: TokenVerifier
}

/** Connects nothing and fetches nothing yet. */
export const createService = (config: Config): Service => ({
  config,
  database: createDatabase(config),
  verifier: createTokenVerifier(config),
})

let ofProcess: Service | undefined

/** The service of this process, made of its environment when the first request comes. */
export function processService(): Service {
  ofProcess ??= createService(loadConfig())
  return ofProcess
}
