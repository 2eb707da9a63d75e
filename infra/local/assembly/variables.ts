import { isOwnDatabase } from '../database/database-tls.ts'
import { audience, issuer } from '../identity/mint-token.ts'
import { localAccount } from '../local-account.ts'
import type { LocatedParts } from '../local-parts.ts'
import type { Localize } from './addresses.ts'
import { holdsSecret, type Resolve } from './resolve.ts'

type TemplateVariables = Readonly<Record<string, unknown>>
type Variables = Readonly<Record<string, string>>

/**
 * Returns the variables that differ from the template: the database and its TLS, the issuer of tokens, and those of the
 * local storage. Adds none for a login, an issuer or a bucket that the template lacks, so that its lack is found here.
 */
function overrides(
  written: TemplateVariables,
  { ownerUrl, databaseUrl, jwksUrl, queue }: LocatedParts,
): Readonly<Record<string, string | undefined>> {
  const issued = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWKS_URL: jwksUrl }
  const kept = Object.entries(issued).filter(([name]) => name in written)
  const cognito = 'COGNITO_USER_POOL_ID' in written && 'COGNITO_CLIENT_ID' in written
  return {
    ...(holdsSecret(written['DATABASE_URL'] ?? '') && databaseOverrides(databaseUrl)),
    // The owner's login, of what prepares the database.
    ...(holdsSecret(written['DATABASE_SERVICE_URL'] ?? '') && {
      DATABASE_URL: ownerUrl,
      DATABASE_SERVICE_URL: databaseUrl,
    }),
    ...(cognito ? issued : Object.fromEntries(kept)),
    ...(cognito && { COGNITO_USER_POOL_ID: undefined, COGNITO_CLIENT_ID: undefined }),
    // The SDK refuses it beside an endpoint of its own.
    ...('AWS_USE_DUALSTACK_ENDPOINT' in written && { AWS_USE_DUALSTACK_ENDPOINT: undefined }),
    // The local storage has no host names for its buckets.
    ...('REPORT_BUCKET' in written && { STORAGE_PATH_STYLE: 'on' }),
    ...('UPLOAD_ORIGINS' in written && { UPLOAD_ORIGINS: queue.endpoint }),
  }
}

/** Returns the settings of a database that the environment of this process names, with its TLS settings. */
const databaseOverrides = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  DATABASE_TLS: isOwnDatabase(databaseUrl) ? 'off' : process.env['DATABASE_TLS'],
  DATABASE_TLS_CA: isOwnDatabase(databaseUrl) ? undefined : process.env['DATABASE_TLS_CA'],
})

/** Returns the variables that Lambda sets, with the local endpoints. The access key identifies the function to them. */
const runtimeVariables = (id: string, name: string, memoryMb: number, { queue, mail }: LocatedParts): Variables => ({
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_REGION: localAccount.region,
  AWS_DEFAULT_REGION: localAccount.region,
  AWS_ACCESS_KEY_ID: id,
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_SQS: queue.endpoint,
  AWS_ENDPOINT_URL_S3: queue.endpoint,
  AWS_ENDPOINT_URL_SES: mail.endpoint,
  TZ: ':UTC',
})

interface VariablesOf {
  readonly id: string
  readonly name: string
  readonly memoryMb: number
  /** As the template has them. */
  readonly written: TemplateVariables
}

/** The local values in place of those that only a deployment knows. */
export interface VariableSources {
  readonly parts: LocatedParts
  readonly resolve: Resolve
  readonly localize: Localize
}

/**
 * All variables of a function. Throws the name of the function and of a variable that cannot be known on this machine.
 */
export function functionVariables(
  { id, name, memoryMb, written }: VariablesOf,
  { parts, resolve, localize }: VariableSources,
): Variables {
  const overridden = overrides(written, parts)
  const rest = Object.entries(written).filter(([variable]) => !(variable in overridden))
  const resolved = rest.map(
    ([variable, value]) => [variable, localize(String(resolve(value, `${name}, ${variable}`)))] as const,
  )
  const replaced = Object.entries(overridden).flatMap(([variable, value]) =>
    value === undefined ? [] : [[variable, value] as const],
  )
  return { ...runtimeVariables(id, name, memoryMb, parts), ...Object.fromEntries([...resolved, ...replaced]) }
}
