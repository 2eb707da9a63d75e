import { resolve } from 'node:path'
import { type IdentityProvider, startIdentityProvider } from '../../infra/local/identity/identity-provider.ts'
import { audience, issuer, mintToken } from '../../infra/local/identity/mint-token.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import { type Config, loadConfig } from '../../lib/config.ts'

/** Keeps the database of the benchmark between runs, so that it is seeded once. */
export const benchDirectory = resolve(import.meta.dirname, '../../.local/bench')

/** The prefix of the action URLs of the measured installation. */
export const publicUrl = 'http://127.0.0.1:3000'

/** The secret that both sides of a comparison sign cursors with. */
export const cursorSecret = 'a secret of the benchmark, of 32 and more characters'

const day = 86_400

/** Tokens of the benchmark's identity provider, real ones signed with RS256. */
export const token = (subject = 'bench', claims: Readonly<Record<string, unknown>> = {}): string =>
  mintToken(loadSigningKey(benchDirectory), { subject, claims, expiresInSeconds: day })

/** Serves the keys that verify those tokens. */
export const startKeys = (): Promise<IdentityProvider> => startIdentityProvider(loadSigningKey(benchDirectory), [])

/** The database of a function, and the keys of its callers. */
export interface Installation {
  readonly databaseUrl: string
  readonly jwksUrl: string
}

/** The environment of a deployment on this machine. */
export const environment = ({ databaseUrl, jwksUrl }: Installation, connections: number): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DATABASE_TLS: 'off',
  // Standard output is reserved for the result of the process.
  LOG_LEVEL: 'warn',
  DATABASE_CONNECTIONS: String(connections),
  SERVICE_SECRET: cursorSecret,
  JWT_ISSUER: issuer,
  JWT_AUDIENCE: audience,
  JWKS_URL: jwksUrl,
  PUBLIC_URL: publicUrl,
})

/** The same, read. */
export const settings = (installation: Installation, connections: number): Config =>
  loadConfig(environment(installation, connections))
