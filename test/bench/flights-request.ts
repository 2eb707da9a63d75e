import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The path of the measured endpoint. */
export const flightsPath = '/api/api-table/control-tables/query-table/flights'

/** Two filters that one index serves (2,336 of the 3,000,000 rows), a sort, the first page, an exact total. */
export const indexedQuery = {
  filters: [
    { field: 'origin', operator: '=', value: 'SFO' },
    { field: 'destination', operator: '=', value: 'DEN' },
  ],
  sorts: [{ field: 'date', direction: 'desc' }],
  page: 1,
  perPage: 20,
}

/** The request with that query. */
export const indexedRequest = { path: flightsPath, body: indexedQuery }

/** The event that the gateway makes of a query of flights. */
export const flightsEvent = (token: string, query: object): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: 'POST /api/api-table/control-tables/query-table/{tableName}',
  rawPath: flightsPath,
  rawQueryString: '',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: '127.0.0.1' },
  requestContext: {
    accountId: '000000000000',
    apiId: 'bench',
    domainName: '127.0.0.1',
    domainPrefix: '127',
    http: { method: 'POST', path: flightsPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
    requestId: 'bench',
    routeKey: 'POST /api/api-table/control-tables/query-table/{tableName}',
    stage: '$default',
    time: '21/Nov/2026:12:00:00 +0000',
    timeEpoch: 0,
  },
  pathParameters: { tableName: 'flights' },
  body: JSON.stringify(query),
  isBase64Encoded: false,
})
