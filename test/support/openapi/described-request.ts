import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { actionKey } from '../../../lib/table/action-key.ts'
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

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: { readonly type?: string }
}

interface Operation {
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly required?: true }
}

type SentRequest = Pick<
  APIGatewayProxyEventV2,
  'body' | 'headers' | 'isBase64Encoded' | 'pathParameters' | 'queryStringParameters'
>

/** Faults of what the service reads besides, for older clients and for people. The document has one form of each. */
const otherForms: readonly RegExp[] = [
  // A filter under `filter_name` or `key`, without its operator, or with a number as text.
  /^\/filters\/\d+ must have required property 'field'/,
  /^\/filter\S+\/operator .*: ""$/,
  /^\/filter\S+ must be string .*: -?[\d.]+$/,
  /^\/sorts\/\S+ .*: ("asc"|"desc"|""|null)$/i,
  // Other spellings of numbers, truths and ids.
  / must (be integer(,null)?|match pattern) .*: " *\d+ *"$/,
  / must be boolean(,null)? .*: ([01]|"[01]"|"true"|"false")$/,
  / must match format "uuid" .*: "[\dA-F-]{36}"$/,
  / must be object,null .*: \[\]$/,
  // Without `include`, no key of a page is read.
  /^\/filters must be array .*: 1$/,
  /^query row_actions: .*: "\\"keys\\""$/,
  // An address that is named twice counts once.
  /^\/emails must NOT have more than 10 items/,
  // Params that the author's schema reads from texts.
  /^\/params\//,
]

/**
 * Throws for an accepted request that the OpenAPI document of its service excludes: a client that trusts the document
 * could not send it.
 */
export function assertDescribedRequest(
  describing: Omit<Describing, 'guard'>,
  asked: AskedRoute,
  request: SentRequest,
  response: ReadResponse,
): void {
  if (response.status >= 400 || namesUnknown(response)) return
  const validating = readValidating({ ...describing, guard: readGuard(asked.routeKey) })
  const keys = operationKeys(validating.document, asked)
  const operation = findPart<Operation>(validating.document, keys)
  if (operation === undefined) return
  const fault = parameterFault(validating, keys, operation, request) ?? bodyFault(validating, keys, operation, request)
  if (fault === undefined || fault.split('\n').some((line) => otherForms.some((form) => form.test(line)))) return
  throw new Error(`A request of ${nameRoute(asked)} was accepted and is not as its OpenAPI document says: ${fault}`)
}

/** Whether the request has former names, or names that were ignored with a warning: the document has present ones. */
const namesUnknown = ({ headers, text }: ReadResponse): boolean =>
  headers['deprecation'] !== undefined || /"code":"unknown_(filter|sort)"/.test(text)

function parameterFault(
  validating: Validating,
  keys: readonly string[],
  { parameters }: Operation,
  request: SentRequest,
): string | undefined {
  for (const [index, one] of parameters.entries()) {
    const isShared = '$ref' in one
    const parameter = isShared ? (resolveReference(validating.document, one.$ref) as Parameter) : one
    const text = readParameter(parameter, request)
    // `params` of a query are each a text.
    if (text === undefined || parameter.name === 'params') continue
    const place = isShared ? one.$ref : pointerTo([...keys, 'parameters', String(index)])
    const isText = parameter.schema.type === 'string' || parameter.schema.type === undefined
    const fault = findFault(validating, `${place}/schema`, { text, json: isText ? text : parse(text) })
    if (fault !== undefined) return `${parameter.in} ${parameter.name}: ${fault}`
  }
  return undefined
}

function readParameter({ name, in: place }: Parameter, request: SentRequest): string | undefined {
  if (place === 'header') return request.headers[name]
  if (place === 'query') return request.queryStringParameters?.[name]
  const text = request.pathParameters?.[name]
  return name === 'action' && text !== undefined ? actionKey(text) : text
}

function bodyFault(
  validating: Validating,
  keys: readonly string[],
  { requestBody }: Operation,
  { body = '', isBase64Encoded }: SentRequest,
): string | undefined {
  // A body that is not described is ignored.
  if (requestBody === undefined) return undefined
  const text = (isBase64Encoded ? Buffer.from(body, 'base64').toString() : body).trim()
  if (text === '') return requestBody.required && 'it has no body'
  const place = pointerTo([...keys, 'requestBody', 'content', 'application/json', 'schema'])
  return findFault(validating, place, { text, json: parse(text) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
