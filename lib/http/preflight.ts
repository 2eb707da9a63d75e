import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Config } from '../config.ts'
import { allowsOrigin, corsPolicy } from './cors.ts'

/**
 * Answers a browser that asks whether a page may call, as API Gateway does by the same settings; `undefined` for any other
 * request. AWS does not promise that no such request reaches the route `$default`.
 */
export function answerPreflight(
  { headers, requestContext }: APIGatewayProxyEventV2,
  config: Config,
): APIGatewayProxyStructuredResultV2 | undefined {
  const { origin, 'access-control-request-method': method } = headers
  if (requestContext.http.method !== 'OPTIONS' || origin === undefined || method === undefined) return undefined
  if (config.ALLOWED_ORIGINS.length === 0) return undefined
  return { statusCode: 204, headers: allowsOrigin(config, origin) ? grants(config, origin) : {} }
}

function grants(config: Config, origin: string): Readonly<Record<string, string>> {
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
