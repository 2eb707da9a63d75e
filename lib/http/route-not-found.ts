import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { loadConfig } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { mountRoutes } from '../routes.ts'
import { failed } from './envelope.ts'
import { logFailure } from './log.ts'

interface RoutePattern {
  readonly method: string
  readonly path: RegExp
}

/**
 * Answers what no route matches, in the envelope: 405 with `Allow` where the path belongs to another method, else 404. It is
 * API Gateway's `$default` route.
 */
export function routeNotFound(guards: () => readonly string[] = () => loadConfig().GUARDS) {
  let patterns: readonly RoutePattern[] | undefined
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { http, requestId } = event.requestContext
    const language = callerLanguage(event.headers)
    try {
      patterns ??= mountRoutes(guards()).map(({ routeKey }) => patternOf(routeKey))
    } catch (error) {
      logFailure(error, { requestId, route: 'routeNotFound' })
      return failed(error, language, requestId)
    }
    const methods = patterns.filter(({ path }) => path.test(event.rawPath)).map(({ method }) => method)
    return failed(failureOf(http.method, event.rawPath, [...new Set(methods)]), language, requestId)
  }
}

const failureOf = (method: string, path: string, allowed: readonly string[]): RequestError =>
  allowed.length === 0
    ? new RequestError('route_not_found', { method, path })
    : new RequestError(
        'method_not_allowed',
        { method, allowed: allowed.join(', ') },
        { headers: { allow: allowed.join(', ') } },
      )

function patternOf(routeKey: string): RoutePattern {
  const [method = '', path = ''] = routeKey.split(' ')
  return { method, path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }
}
