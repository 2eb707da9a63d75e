import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Config, loadConfig } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { allowsOrigin, corsPolicy } from '../http/cors.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { callerLanguage } from '../i18n/language.ts'
import { mountRoutes } from '../routes.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'

interface RoutePattern {
  readonly method: string
  readonly path: RegExp
}

/**
 * The Lambda handler of API Gateway's `$default` route. Answers a preflight by the settings of CORS, and any other
 * request in the envelope: 405 with `Allow` if the path has another method, else 404.
 */
export function routeNotFound(config: () => Config = loadConfig) {
  let settings: Config | undefined
  let patterns: readonly RoutePattern[] | undefined
  return (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { http, requestId } = event.requestContext
    const invocation = beginInvocation('routeNotFound', requestId)
    return respondAndLog({ invocation, language: () => callerLanguage(event.headers) }, async () => {
      settings ??= config()
      beginLog(settings)
      const granted = answerPreflight(event, settings)
      if (granted !== undefined) return granted
      patterns ??= mountRoutes(settings.GUARDS).map(({ routeKey }) => createPattern(routeKey))
      const methods = patterns.filter(({ path }) => path.test(event.rawPath)).map(({ method }) => method)
      throw createFailure(http.method, event.rawPath, [...new Set(methods)])
    })
  }
}

const createFailure = (method: string, path: string, allowed: readonly string[]): RequestError =>
  allowed.length === 0
    ? new RequestError('route_not_found', { method, path })
    : new RequestError(
        'method_not_allowed',
        { method, allowed: allowed.join(', ') },
        { headers: { allow: allowed.join(', ') } },
      )

function createPattern(routeKey: string): RoutePattern {
  const [method = '', path = ''] = routeKey.split(' ')
  return { method, path: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`) }
}

/**
 * Answers a browser that asks whether a page may call, as API Gateway does by the same settings; `undefined` for any
 * other request. AWS does not promise that no such request reaches the route `$default`.
 */
function answerPreflight(
  { headers, requestContext }: APIGatewayProxyEventV2,
  config: Config,
): APIGatewayProxyStructuredResultV2 | undefined {
  const { origin, 'access-control-request-method': method } = headers
  if (requestContext.http.method !== 'OPTIONS' || origin === undefined || method === undefined) return undefined
  if (config.ALLOWED_ORIGINS.length === 0) return undefined
  return { statusCode: 204, headers: allowsOrigin(config, origin) ? preflightHeaders(config, origin) : {} }
}

function preflightHeaders(config: Config, origin: string): Readonly<Record<string, string>> {
  const policy = corsPolicy(config)
  return {
    'access-control-allow-origin': policy.allowOrigins.includes('*') ? '*' : origin,
    ...(policy.allowCredentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-methods': policy.allowMethods.join(','),
    'access-control-allow-headers': policy.allowHeaders.join(','),
    'access-control-expose-headers': policy.exposeHeaders.join(','),
    'access-control-max-age': String(policy.maxAge),
    vary: 'origin',
  }
}
