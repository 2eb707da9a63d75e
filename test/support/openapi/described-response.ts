import { type EndpointName, type PageName, routes } from '../../../lib/routes.ts'
import { type Describing, findFault, type ReadResponse, readValidating, type Validating } from './document-schemas.ts'
import {
  type AskedRoute,
  findPart,
  nameRoute,
  operationKeys,
  pointerTo,
  readGuard,
  resolveReference,
} from './operation-place.ts'

interface Media {
  readonly schema?: object
}

interface Response {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, Media>>
}

/** The headers that any response may have. */
const generalHeaders: ReadonlySet<string> = new Set(
  [
    'content-type content-length content-encoding content-security-policy cache-control vary server-timing date',
    'access-control-allow-origin access-control-expose-headers access-control-allow-credentials timing-allow-origin',
    'x-content-type-options referrer-policy connection keep-alive transfer-encoding apigw-requestid',
    // They are those of the request, which a refusal has as well.
    'deprecation sunset',
  ].flatMap((names) => names.split(' ')),
)

/** A page is none: what it answers is for people. */
export const isEndpoint = (name: EndpointName | PageName): name is EndpointName =>
  routes.some((route) => route.name === name)

/**
 * Throws where a response is not as the OpenAPI document of its service says: which route and status, where in it, and
 * what is there.
 */
export function assertDescribed(
  describing: Omit<Describing, 'guard'>,
  asked: AskedRoute,
  response: ReadResponse,
): void {
  const { name, routeKey } = asked
  const validating = readValidating({ ...describing, guard: readGuard(routeKey) })
  const fault =
    name === undefined ? findFault(validating, ref('Failure'), response) : answerFault(validating, asked, response)
  if (fault === undefined) return
  throw new Error(
    `The response of ${nameRoute(asked)}, ${response.status}, is not as its OpenAPI document says: ${fault}`,
  )
}

const ref = (schema: string): string => `#/components/schemas/${schema}`

function answerFault(validating: Validating, asked: AskedRoute, response: ReadResponse): string | undefined {
  const pointer = [...operationKeys(validating.document, asked), 'responses']
  const byStatus = findPart<Readonly<Record<string, Response>>>(validating.document, pointer)
  if (byStatus === undefined) return 'there is no such operation'
  const found = byStatus[response.status] ?? byStatus[`${Math.floor(response.status / 100)}XX`]
  if (found === undefined) return `no response has this status (${response.text.slice(0, 200)})`
  const { content, headers = {} } =
    found.$ref === undefined ? found : (resolveReference(validating.document, found.$ref) as Response)
  const unknown = Object.keys(response.headers).find((header) => !(header in headers || generalHeaders.has(header)))
  if (unknown !== undefined) return `no such response has the header ${unknown}`
  if (content === undefined) return response.text === '' ? undefined : 'it has a body'
  const type = (response.headers['content-type'] ?? '').split(';')[0] ?? ''
  const media = content[type]
  if (media === undefined) return `no response has the type ${type}`
  if (type !== 'application/json') return undefined
  const place = found.$ref ?? pointerTo([...pointer, byStatus[response.status] ? `${response.status}` : '4XX'])
  return findFault(validating, `${place}/content/${type.replaceAll('/', '~1')}/schema`, response)
}
