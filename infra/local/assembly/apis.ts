import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import * as z from 'zod'
import type { CorsPolicy } from '../../../lib/http/cors.ts'
import type { SocketEvent } from '../gateway/socket-event.ts'
import type { SocketRoutes } from '../gateway/socket-gateway.ts'
import type { LocalFunction } from '../lambda/local-function.ts'
import type { DeployedFunction } from './functions.ts'
import { findApiId } from './local-values.ts'
import type { Permission } from './permissions.ts'
import { findRoutes, findStageName } from './routes.ts'
import type { Template } from './template.ts'

const texts = z.array(z.string()).default([])
const cors = z.object({
  AllowOrigins: texts,
  AllowHeaders: texts,
  AllowMethods: texts,
  AllowCredentials: z.boolean().default(false),
  ExposeHeaders: texts,
  MaxAge: z.number().default(0),
})
const api = z.object({
  ProtocolType: z.enum(['HTTP', 'WEBSOCKET']),
  RouteSelectionExpression: z.string().optional(),
  CorsConfiguration: cors.optional(),
})
type Functions = ReadonlyMap<string, DeployedFunction>

/** The HTTP API of the template. */
export interface DeployedHttp {
  readonly routes: ReadonlyMap<string, LocalFunction>
  readonly fallback: LocalFunction | undefined
  readonly cors: CorsPolicy | undefined
}

/** The WebSocket API of the template. */
export interface DeployedSockets {
  readonly routes: SocketRoutes
  /** Its name is the path of the WebSockets. */
  readonly stage: string
  readonly apiId: string
}

/** The routes and the CORS of the one HTTP API. Throws what API Gateway would refuse, or could not call. */
export function readHttpApi(
  template: Template,
  functions: Functions,
  permissions: readonly Permission[],
): DeployedHttp {
  const { id, properties } = onlyApi(template, 'HTTP')
  const all = findRoutes<APIGatewayProxyEventV2>(template, id, functions, permissions)
  const { $default: fallback, ...routes } = Object.fromEntries(all)
  return {
    routes: new Map(Object.entries(routes)),
    fallback,
    cors: properties.CorsConfiguration && createCorsPolicy(properties.CorsConfiguration),
  }
}

/** The routes of the one WebSocket API; one that is missing stays missing. */
export function readSocketApi(
  template: Template,
  functions: Functions,
  permissions: readonly Permission[],
): DeployedSockets {
  const { id, properties } = onlyApi(template, 'WEBSOCKET')
  const all = findRoutes<SocketEvent>(template, id, functions, permissions)
  if (properties.RouteSelectionExpression !== '$request.body.event')
    throw new Error(`${id}: RouteSelectionExpression must select by the "event" of a message; nothing else runs here`)
  return { routes: Object.fromEntries(all), stage: findStageName(template, id), apiId: findApiId(id) }
}

function onlyApi(template: Template, protocol: 'HTTP' | 'WEBSOCKET') {
  const [found, ...more] = template
    .listResources('AWS::ApiGatewayV2::Api', api)
    .filter(({ properties }) => properties.ProtocolType === protocol)
  if (found === undefined || more.length > 0) {
    throw new Error(`The template has ${more.length + (found ? 1 : 0)} APIs of ${protocol}; here there is one of each`)
  }
  return found
}

const createCorsPolicy = (given: z.output<typeof cors>): CorsPolicy => ({
  allowOrigins: given.AllowOrigins,
  allowHeaders: given.AllowHeaders,
  allowMethods: given.AllowMethods,
  allowCredentials: given.AllowCredentials,
  exposeHeaders: given.ExposeHeaders,
  maxAge: given.MaxAge,
})
