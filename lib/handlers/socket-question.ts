import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { authenticateOwner } from '../auth/authenticate-caller.ts'
import type { Config } from '../config.ts'
import { listOptions } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { authenticateRequest, logCaller } from '../http/endpoint.ts'
import { findOpener } from '../push/sockets.ts'
import { mountRoutes } from '../routes.ts'
import type { SocketEvent } from './socket-reply.ts'

const endpoint = 'queryTableData'

/** A WebSocket message with the query of a request to query-table. */
export interface SocketQuestion {
  readonly table: string
  /** Default: the caller is the one who opened the socket. */
  readonly token?: string | undefined
  /** Default: the first of `GUARDS`. */
  readonly guard?: string | undefined
  readonly ln?: string | undefined
  /** The body of the request. */
  readonly query: object
}

/** Returns the request to query-table that asks the same as a message, so that it passes the same checks. */
export function createQuestionEvent(
  { GUARDS }: Config,
  { requestContext }: SocketEvent,
  { table, token, guard = GUARDS[0], ln, query }: SocketQuestion,
): APIGatewayProxyEventV2 {
  const route = mountRoutes(GUARDS).find((mounted) => mounted.guard === guard && mounted.route.name === endpoint)
  if (route === undefined) throw validationFailed({ guard: [listOptions(GUARDS)] })
  const path = route.routeKey.slice('POST '.length).replace('{tableName}', encodeURIComponent(table))
  const identity: unknown = Reflect.get(requestContext, 'identity')
  const { sourceIp = '', userAgent = '' } = Object(identity) as { sourceIp?: string; userAgent?: string }
  const { requestId, domainName, stage, apiId, requestTimeEpoch, requestTime } = requestContext
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString: '',
    isBase64Encoded: false,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(ln !== undefined && { ln }) },
    pathParameters: { tableName: table },
    body: JSON.stringify(query),
    requestContext: {
      accountId: '',
      apiId,
      stage,
      domainName,
      domainPrefix: '',
      requestId,
      routeKey: route.routeKey,
      time: requestTime,
      timeEpoch: requestTimeEpoch,
      http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp, userAgent },
    },
  }
}

/** Returns what establishes the caller of a question, with the rights of this moment. */
export const findAsker = (
  { requestContext }: SocketEvent,
  { token }: Pick<SocketQuestion, 'token'>,
): typeof authenticateRequest =>
  token === undefined ? authenticateOpener(requestContext.connectionId) : authenticateRequest

const authenticateOpener =
  (connectionId: string): typeof authenticateRequest =>
  async (registry, service, _request, invocation) => {
    const opener = await findOpener(service.database, connectionId)
    if (opener === undefined) throw new RequestError('unauthenticated')
    return logCaller(service, await authenticateOwner(registry, opener), invocation)
  }
