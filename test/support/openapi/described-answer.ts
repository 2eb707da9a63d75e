import type { OpenApiDocument } from '../../../lib/index.ts'
import { type EndpointName, guardPrefix, type PageName, routes } from '../../../lib/routes.ts'
import { type Describing, findFault, type ReadAnswer, readValidating, type Validating } from './document-schemas.ts'

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
  readonly content?: Readonly<Record<string, Media>>
}

/** A page is none: what it answers is for people. */
export const isEndpoint = (name: EndpointName | PageName): name is EndpointName =>
  routes.some((route) => route.name === name)

/** Throws where an answer is not as the OpenAPI document of its service says: which route and status, where in it, and what is there. */
export function assertDescribed(describing: Omit<Describing, 'guard'>, asked: AskedRoute, answer: ReadAnswer): void {
  const { name, routeKey } = asked
  const guard = /^\S+ \/(?:([^/]+)\/)?api-table\//.exec(routeKey)?.[1] ?? 'web'
  const validating = readValidating({ ...describing, guard })
  const fault =
    name === undefined ? findFault(validating, ref('Failure'), answer) : answerFault(validating, guard, asked, answer)
  if (fault === undefined) return
  throw new Error(
    `The answer of ${routeKey}${at(asked)}, ${answer.status}, is not as its OpenAPI document says: ${fault}`,
  )
}

const at = ({ tableName }: AskedRoute): string => (tableName === undefined ? '' : ` (${tableName})`)

const ref = (schema: string): string => `#/components/schemas/${schema}`

function answerFault(validating: Validating, guard: string, asked: AskedRoute, answer: ReadAnswer): string | undefined {
  const pointer = operationPointer(validating.document, guard, asked)
  const responses = pointer.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)?.[key],
    validating.document,
  )
  if (responses === undefined) return 'there is no such operation'
  const byStatus = responses as Readonly<Record<string, Response>>
  const found = byStatus[answer.status] ?? byStatus[`${Math.floor(answer.status / 100)}XX`]
  if (found === undefined) return `no answer has this status (${answer.text.slice(0, 200)})`
  const { content } = found.$ref === undefined ? found : (resolveReference(validating.document, found.$ref) as Response)
  if (content === undefined) return answer.text === '' ? undefined : 'it has a body'
  const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
  const media = content[type]
  if (media === undefined) return `no answer has the type ${type}`
  if (media.schema === undefined) return undefined
  const place = found.$ref ?? pointerTo([...pointer, byStatus[answer.status] ? `${answer.status}` : '4XX'])
  const whole = `${place}/content/${escapePattern(type)}/schema`
  return findFault(validating, whole, answer)
}

/** Returns the place of the operation's responses: the table's own operation if the document has it, else the generic one. */
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
