import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordLog } from '../support/log/recorded-log.ts'
import { type ParcelService, startParcelService, supervisor } from '../support/parcels/parcel-service.ts'
import { anyRequestBody, hostileText } from '../support/requests/any-body.ts'
import { anyQuery, anyText } from '../support/requests/any-text.ts'
import { gatewayEvent } from '../support/requests/gateway-event.ts'

const requestsPerEndpoint = 1_000

const endpoints = ['queryTableData', 'loadTable', 'rowRefetch', 'multiRowRefetch'] as const

type Endpoint = (typeof endpoints)[number]

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})

afterAll(() => service.stop())

const base = '/api/api-table/control-tables'

const createPath = (endpoint: Endpoint, segment: string): string =>
  ({
    queryTableData: `${base}/query-table/parcels`,
    loadTable: `${base}/load-table/parcels/true?${segment}`,
    rowRefetch: `${base}/row-refetch/parcels/${encodeURIComponent(segment) || 'x'}`,
    multiRowRefetch: `${base}/multi-row-refetch/parcels`,
  })[endpoint]

async function send(
  endpoint: Endpoint,
  body: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>,
  segment: string,
) {
  const headers = { authorization: `Bearer ${service.tokenFor(supervisor)}` }
  const { event } = gatewayEvent({
    method: endpoint === 'loadTable' ? 'GET' : 'POST',
    path: createPath(endpoint, '17'),
    headers,
  })
  const pathParameters = { ...event.pathParameters, ...(endpoint === 'rowRefetch' && { rowId: segment }) }
  const sent = { ...event, ...body, pathParameters, rawQueryString: endpoint === 'loadTable' ? segment : '' }
  const { statusCode, body: text = '' } = await service.handlers[endpoint](sent)
  return { status: statusCode ?? 0, text }
}

const sqlOfOurs = /\bselect .* from\b|left join|\$\d|postgres|at (file:|async )|syntax error|\.ts:\d/i

/** A fault that lists the options of a select repeats what the table's author wrote. */
const listsOptions = /must be one of: |واحدًا مما يلي: /

/** Every response has one of two shapes, and no fault is the service's own. */
function expectEnvelope({ status, text }: { readonly status: number; readonly text: string }, mayEcho: string): void {
  const response = JSON.parse(text)
  expect(status, text).toBeLessThan(500)
  expect(response.success).toBe(status === 200)
  if (status === 200) return
  expect(response).toMatchObject({
    code: expect.stringMatching(/^[a-z_]+$/),
    request_id: expect.any(String),
    message: expect.any(String),
  })
  expect(response.error).toBe(response.message)
  expect(response.errors.length % 2).toBe(0)
  expect(response.errors.length).toBeGreaterThan(0)
  const arabic = response.errors.filter((_: string, index: number) => index % 2 === 1)
  for (const message of arabic) expect(message).toMatch(/[\u0600-\u06ff]/)
  const ownText = JSON.stringify(response, (_, value) =>
    typeof value === 'string' && listsOptions.test(value) ? '' : value,
  )
  if (!sqlOfOurs.test(mayEcho)) expect(ownText).not.toMatch(sqlOfOurs)
}

describe.each(endpoints)('%s', (endpoint) => {
  it('answers any body, path and query whatsoever in the envelope and never with a fault of its own', async () => {
    const log = recordLog()
    const statuses: number[] = []
    const segment = fc.oneof(fc.nat(60).map(String), hostileText, anyText(), anyQuery())
    await fc.assert(
      fc.asyncProperty(anyRequestBody, segment, async (body, path) => {
        const response = await send(endpoint, body, path)
        statuses.push(response.status)
        expectEnvelope(response, `${body.isBase64Encoded ? Buffer.from(body.body, 'base64') : body.body}${path}`)
      }),
      { numRuns: requestsPerEndpoint },
    )
    expect(statuses, 'some requests must get as far as a response').toContain(200)
    log.restore()
    expect(log.lines()).toEqual([])
  })
})

const inJson = (text: string) => ({ body: text, isBase64Encoded: false })
const inBase64 = (bytes: Uint8Array) => ({ body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true })
const pad = (bytes: number) => `{"pad":"${'x'.repeat(bytes - 10)}"}`
const multibyte = (bytes: number) => `{"pad":"${'é'.repeat((bytes - 10) / 2)}"}`
const megabyte = 1_048_576

describe('a body', () => {
  it.each([
    ['100,000 lists deep', inJson('['.repeat(100_000)), 400],
    ['100,000 closed lists deep', inJson(`{"filters":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 400],
    ['100,000 objects deep', inJson(`${'{"f":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 400],
    ['deep inside of a text only', inJson(JSON.stringify({ note: '['.repeat(100_000) })), 200],
    ['of one byte less than a megabyte', inJson(pad(megabyte - 1)), 200],
    ['of a megabyte', inJson(pad(megabyte)), 200],
    ['of one byte more than a megabyte', inJson(pad(megabyte + 1)), 413],
    ['of a megabyte in two-byte characters', inJson(multibyte(megabyte)), 200],
    ['of few characters but too many bytes', inJson(multibyte(megabyte + 2)), 413],
    ['of a megabyte in base64', inBase64(Buffer.from(pad(megabyte))), 200],
    ['of more than a megabyte in base64', inBase64(Buffer.from(pad(megabyte + 1))), 413],
    ['with a byte order mark', inJson('\uFEFF{"page":1}'), 200],
    ['with a byte order mark in base64', inBase64(Buffer.from('\uFEFF{"page":1}')), 200],
    ['of a byte order mark alone', inJson('\uFEFF'), 200],
    ['of bytes that are not UTF-8', inBase64(Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)), 400],
    ['of a cut UTF-8 character', inBase64(Uint8Array.of(0x22, 0xc3)), 400],
    ['in UTF-16', inBase64(Buffer.from('{"page":1}', 'utf16le')), 400],
    ['that is no JSON', inJson("{'page': 1}"), 400],
    ['that is a list', inJson('[]'), 400],
    ['that is null', inJson('null'), 400],
    ['with the same key twice', inJson('{"page":0,"page":1}'), 200],
    ['with a prototype', inJson('{"__proto__":{"page":0},"constructor":{"prototype":{"perPage":-1}}}'), 200],
  ])('%s is answered as it should be', async (_, body, status) => {
    const response = await send('queryTableData', body, '')
    expect(response.status, response.text.slice(0, 500)).toBe(status)
    expectEnvelope(response, '')
  })

  it.each([
    { perPage: 'NaN' },
    { perPage: -1 },
    { perPage: 0 },
    { perPage: 1e9 },
    { perPage: 1_001 },
    { perPage: 1.5 },
    { perPage: '1e2' },
    { perPage: '' },
    { perPage: [20] },
    { perPage: {} },
    { perPage: true },
    { page: 0 },
    { page: -1 },
    { page: 2 ** 31 },
    { page: 1e300 },
    { page: '0x1' },
    { cursor: 17 },
    { cursor: '' },
    { cursor: '.' },
    { cursor: 'W10.AAAA' },
    { cursor: 'x'.repeat(600_000) },
    { filters: 'all' },
    { filters: 7 },
    { sorts: 'id' },
    { filters: [{ field: {} }] },
    { params: [] },
    { params: 'x' },
  ])('is refused with the name of the field for %j', async (body) => {
    const response = await send('queryTableData', inJson(JSON.stringify(body)), '')
    expect(response.status, response.text.slice(0, 500)).toBe(422)
    expectEnvelope(response, '')
    expect(Object.keys(JSON.parse(response.text).fields)[0]).toMatch(new RegExp(`^${Object.keys(body)[0]}`))
  })

  it('leaves no trace on the prototypes of the process', () => {
    expect(Object.keys(Object.prototype)).toEqual([])
    expect('polluted' in {}).toBe(false)
  })
})
