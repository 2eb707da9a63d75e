import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { createRegistry, type OpenApiDocument, type Registry, wholeDocument } from '../../lib/index.ts'
import { componentName } from '../../lib/openapi/described-table.ts'
import type { EndpointName } from '../../lib/routes.ts'
import type { ApiResponse } from './api.ts'

/** Of which service an answer is; without a registry, only what holds of any table is checked. */
export interface Describing {
  readonly registry?: Registry
  readonly guards?: readonly string[]
  readonly itemActions?: 'both' | 'row' | 'actions'
}

/** What was asked, in the words of the gateway; without a name it is what no route matched. */
export interface AskedRoute {
  readonly name: EndpointName | undefined
  readonly routeKey: string
  readonly tableName?: string | undefined
}

interface Media {
  readonly schema?: { readonly $ref?: string; readonly anyOf?: readonly { readonly $ref?: string }[] }
}

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}

interface Validating {
  readonly document: OpenApiDocument
  readonly ajv: Ajv2020
  readonly compiled: Map<string, ValidateFunction>
}

const noTables = createRegistry([])
const known = new WeakMap<Registry, Map<string, Validating>>()

/** Throws where an answer is not as the OpenAPI document of its service says: which route and status, where in it, and what is there. */
export function assertDescribed(describing: Describing, asked: AskedRoute, answer: ApiResponse): void {
  const { name, routeKey } = asked
  const validating = validatingOf(describing)
  const fault = name === undefined ? faultOf(validating, ref('Failure'), answer) : answerFault(validating, asked, answer)
  if (fault === undefined) return
  throw new Error(`The answer of ${routeKey}${at(asked)}, ${answer.status}, is not as its OpenAPI document says: ${fault}`)
}

const at = ({ tableName }: AskedRoute): string => (tableName === undefined ? '' : ` (${tableName})`)

const ref = (schema: string): string => `#/components/schemas/${schema}`

function answerFault(validating: Validating, asked: AskedRoute, answer: ApiResponse): string | undefined {
  const [method = '', path = ''] = asked.routeKey.split(' ')
  const pointer = ['paths', path, method.toLowerCase(), 'responses']
  const responses = pointer.reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], validating.document)
  if (responses === undefined) return 'there is no such operation'
  const byStatus = responses as Readonly<Record<string, Response>>
  const found = byStatus[answer.status] ?? byStatus[`${Math.floor(answer.status / 100)}XX`]
  if (found === undefined) return `no answer has this status (${String(answer.json?.code)})`
  const { content } = found.$ref === undefined ? found : (resolved(validating.document, found.$ref) as Response)
  if (content === undefined) return answer.text === '' ? undefined : 'it has a body'
  const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
  const media = content[type]
  if (media === undefined) return `no answer has the type ${type}`
  if (media.schema === undefined) return undefined
  const place = found.$ref ?? pointerTo([...pointer, byStatus[answer.status] ? `${answer.status}` : '4XX'])
  const whole = `${place}/content/${escaped(type)}/schema`
  return faultOf(validating, ofTable(media.schema, asked) ?? whole, answer)
}

/** Among the answers of several tables that of the one that was asked: any other has nothing to do with it. */
function ofTable({ anyOf = [] }: NonNullable<Media['schema']>, { tableName, routeKey }: AskedRoute): string | undefined {
  if (tableName === undefined) return undefined
  const name = componentName(tableName)
  const guard = /^\S+ \/(?:([^/]+)\/)?api-table\//.exec(routeKey)?.[1] ?? 'web'
  const refs = anyOf.flatMap(({ $ref }) => $ref ?? [])
  const own = (of: string) => refs.find((reference) => reference.startsWith(`${ref(of)}.`))
  return own(`${name}--${guard}`) ?? own(name)
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
const pointerTo = (keys: readonly string[]): string => `#/${keys.map(escaped).join('/')}`

const resolved = (document: OpenApiDocument, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document)

function faultOf(validating: Validating, pointer: string, { json, text }: ApiResponse): string | undefined {
  if (json === undefined) return `it is no JSON: ${text.slice(0, 200)}`
  const validate = validating.compiled.get(pointer) ?? validating.ajv.compile({ $ref: `document${pointer}` })
  validating.compiled.set(pointer, validate)
  return validate(json) ? undefined : faultText(validate.errors ?? [], json)
}

/** Of several alternatives the faults that lie deepest: those of the one that was meant. */
function faultText(errors: readonly ErrorObject[], answer: unknown): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  const deepest = Math.max(...errors.map(depth))
  const worst = errors.filter((error) => depth(error) === deepest).slice(0, 3)
  const texts = worst.map((error) => {
    const value = error.instancePath
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key.replaceAll('~1', '/')], answer)
    return `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)} (${error.schemaPath}): ${JSON.stringify(value)?.slice(0, 300)}`
  })
  return texts.join('\n')
}

function validatingOf({ registry = noTables, guards = ['api', 'web'], itemActions = 'both' }: Describing): Validating {
  const ofRegistry = known.get(registry) ?? new Map<string, Validating>()
  known.set(registry, ofRegistry)
  const key = `${itemActions} ${guards.join()}`
  const made = ofRegistry.get(key) ?? newValidating(registry, guards, itemActions)
  ofRegistry.set(key, made)
  return made
}

function newValidating(registry: Registry, guards: readonly string[], itemActions: 'both' | 'row' | 'actions'): Validating {
  const service = { SERVICE_NAME: 'table_control', GUARDS: [...guards], ITEM_ACTIONS: itemActions }
  const document = wholeDocument(registry, { service, baseUrl: '', language: 'en' })
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, code: { optimize: false } })
  ajv.addSchema(document, 'document')
  return { document, ajv, compiled: new Map() }
}
