import { registry } from '../../../tables/index.ts'
import { gatewayEvent } from '../requests/gateway-event.ts'
import { assertDescribed, isEndpoint } from './described-response.ts'
import type { ReadResponse } from './document-schemas.ts'

/** Throws where a response of the demo is not as its OpenAPI document says. `url` is absolute, or a path. */
export function assertDescribedDemo(method: string, url: string, response: ReadResponse): void {
  const { pathname, search } = new URL(url, 'http://localhost')
  const { event, endpoint } = gatewayEvent({ method, path: `${pathname}${search}` })
  const tableName = event.pathParameters?.['tableName']
  if (endpoint !== undefined && !isEndpoint(endpoint)) return
  assertDescribed({ registry }, { name: endpoint, routeKey: event.routeKey, tableName }, response)
}
