import type { ErrorObject } from 'ajv'
import { createRegistry, type LoadedRegistry, type OpenApiDocument, wholeDocument } from '../../../lib/index.ts'
import { type DocumentSchemas, documentSchemas } from './shared-schemas.ts'

/** The service of a response. Without a registry, only the rules for all tables are checked. */
export interface Describing {
  readonly registry?: LoadedRegistry
  /** Optional; default `api`. */
  readonly guard?: string
  readonly itemActions?: 'both' | 'row' | 'actions'
}

/** A response as a client reads it. */
export interface ReadResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>
  readonly text: string
  /** `undefined` where the body is no JSON. */
  readonly json: unknown
}

/** A document, and its schemas as far as they were needed: each is compiled once. */
export interface Validating {
  readonly document: OpenApiDocument
  readonly schemas: DocumentSchemas
}

const noTables = createRegistry([])
const known = new WeakMap<LoadedRegistry, Map<string, Validating>>()

/** Returns the faults of a body by the schema at this place of the document; `undefined` if it fits. */
export function findFault(
  validating: Validating,
  pointer: string,
  { json, text }: Pick<ReadResponse, 'json' | 'text'>,
): string | undefined {
  if (json === undefined) return `it is no JSON: ${text.slice(0, 200)}`
  const validate = validating.schemas.compile(pointer)
  return validate(json) ? undefined : faultText(validate.errors ?? [], json)
}

/** Keeps the deepest faults of several alternatives: they belong to the one that was meant. */
function faultText(errors: readonly ErrorObject[], body: unknown): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  const deepest = Math.max(...errors.map(depth))
  const worst = errors.filter((error) => depth(error) === deepest).slice(0, 3)
  const texts = worst.map((error) => {
    const value = error.instancePath
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key.replaceAll('~1', '/')], body)
    return `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)} (${error.schemaPath}): ${JSON.stringify(value)?.slice(0, 300)}`
  })
  return texts.join('\n')
}

/** The document of a service on a guard, made once for all of its responses. */
export function readValidating({ registry = noTables, guard = 'api', itemActions = 'both' }: Describing): Validating {
  const ofRegistry = known.get(registry) ?? new Map<string, Validating>()
  known.set(registry, ofRegistry)
  const key = `${itemActions} ${guard}`
  const made = ofRegistry.get(key) ?? newValidating(registry, guard, itemActions)
  ofRegistry.set(key, made)
  return made
}

function newValidating(registry: LoadedRegistry, guard: string, itemActions: 'both' | 'row' | 'actions'): Validating {
  const service = { SERVICE_NAME: 'table_control', GUARDS: [guard], ITEM_ACTIONS: itemActions }
  const document = wholeDocument(registry, { service, guard, baseUrl: '', language: 'en' })
  return { document, schemas: documentSchemas(document) }
}
