import { registry } from '../../../tables/index.ts'
import { gatewayEvent } from '../requests/gateway-event.ts'
import { assertDescribedRequest } from './described-request.ts'
import { assertDescribed, isEndpoint } from './described-response.ts'
import type { ReadResponse } from './document-schemas.ts'

/**
 * Throws where a response of the demo, or a request that it accepted, is not as its OpenAPI document says. `url` is
 * absolute, or a path; a request with a body is a `POST`.
 */
export function assertDescribedDemo(url: string, body: unknown, response: ReadResponse): void {
  const { pathname, search } = new URL(url, 'http://localhost')
  const method = body === undefined ? 'GET' : 'POST'
  const { event, endpoint } = gatewayEvent({ method, path: `${pathname}${search}`, body })
  if (endpoint !== undefined && !isEndpoint(endpoint)) return
  const asked = { name: endpoint, routeKey: event.routeKey, tableName: event.pathParameters?.['tableName'] }
  assertDescribed({ registry }, asked, response)
  assertDescribedRequest({ registry }, asked, event, response)
}
