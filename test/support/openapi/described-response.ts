import type { OpenApiDocument } from '../../../lib/index.ts'
import { type EndpointName, guardPrefix, type PageName, routes } from '../../../lib/routes.ts'
import { type Describing, findFault, type ReadResponse, readValidating, type Validating } from './document-schemas.ts'

/** The operation and its request, in the gateway's terms; without a name no route matched. */
export interface AskedRoute {
  readonly name: EndpointName | undefined
  readonly routeKey: string
  readonly tableName?: string | undefined
}

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
  const guard = /^\S+ \/(?:([^/]+)\/)?api-table\//.exec(routeKey)?.[1] ?? 'web'
  const validating = readValidating({ ...describing, guard })
  const fault =
    name === undefined
      ? findFault(validating, ref('Failure'), response)
      : answerFault(validating, guard, asked, response)
  if (fault === undefined) return
  throw new Error(
    `The response of ${routeKey}${at(asked)}, ${response.status}, is not as its OpenAPI document says: ${fault}`,
  )
}

const at = ({ tableName }: AskedRoute): string => (tableName === undefined ? '' : ` (${tableName})`)

const ref = (schema: string): string => `#/components/schemas/${schema}`

function answerFault(
  validating: Validating,
  guard: string,
  asked: AskedRoute,
  response: ReadResponse,
): string | undefined {
  const pointer = operationPointer(validating.document, guard, asked)
  const responses = pointer.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)?.[key],
    validating.document,
  )
  if (responses === undefined) return 'there is no such operation'
  const byStatus = responses as Readonly<Record<string, Response>>
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
  const whole = `${place}/content/${escapePattern(type)}/schema`
  return findFault(validating, whole, response)
}

/**
 * Returns the place of the operation's responses: the table's own operation if the document has it, else the generic
 * one.
 */
function operationPointer({ paths }: OpenApiDocument, guard: string, { routeKey, tableName }: AskedRoute) {
  const [method = '', whole = ''] = routeKey.split(' ')
  const path = whole.slice(guardPrefix(guard).length)
  const own = path.replace('{tableName}', encodeURIComponent(tableName ?? ''))
  return ['paths', own in paths ? own : path, method.toLowerCase(), 'responses']
}

const escapePattern = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
const pointerTo = (keys: readonly string[]): string => `#/${keys.map(escapePattern).join('/')}`

const resolveReference = (document: OpenApiDocument, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document)
