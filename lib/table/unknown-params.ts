import type { $ZodType } from 'zod/v4/core'
import { nearNames } from './near-names.ts'
import type { TableView } from './view.ts'

/** A key of a body's `params` that no param of the table has. */
interface UnknownParam {
  readonly name: string
  /** The key that was probably meant. */
  readonly meant?: string
}

/** One is enough to refuse a request, and a body has room for many. */
const maxUnknown = 10

interface SentParams {
  readonly body: Readonly<Record<string, unknown>>
  readonly query: string
}

/**
 * Finds the keys of a body's `params` that the table's schema would drop. Leaves out numbers, which clients send by
 * mistake, and keys of the URL, because action URLs repeat all params of their page.
 */
export function findUnknownParams({ table, filters }: TableView, { body, query }: SentParams): readonly UnknownParam[] {
  const params = Object.hasOwn(body, 'params') ? body['params'] : undefined
  if (typeof params !== 'object' || params === null) return []
  const known = schemaKeys(table.definition.params)
  if (known === undefined) return []
  const url = new URLSearchParams(query)
  // A text that is no JSON object has been refused when the request was read.
  const urlKeys = new Set(url.getAll('params').flatMap((text) => Object.keys(JSON.parse(text))))
  const isInUrl = (name: string) => url.has(name) || url.has(`params[${name}]`) || urlKeys.has(name)
  return Object.keys(params)
    .filter((name) => !known.has(name) && !/^\d+$/.test(name) && !isInUrl(name))
    .slice(0, maxUnknown)
    .map((name) => {
      const meant = filters.has(name) ? `filters.${name}` : nearNames(name, [...known])[0]
      return { name, ...(meant !== undefined && { meant }) }
    })
}

const maxWarningLength = 100

/** Warns of the keys that `findUnknownParams` finds. */
export const warnOfUnknownParams = (view: TableView, sent: SentParams) =>
  findUnknownParams(view, sent).map(({ name, meant }) => ({
    code: 'unknown_param' as const,
    field: name.slice(0, maxWarningLength),
    ...(meant !== undefined && { meant }),
  }))

interface SchemaParts {
  readonly type: string
  readonly shape?: Readonly<Record<string, $ZodType>>
  readonly catchall?: $ZodType
  readonly innerType?: $ZodType
  readonly in?: $ZodType
  readonly left?: $ZodType
  readonly right?: $ZodType
  readonly options?: readonly $ZodType[]
}

const none: ReadonlySet<string> = new Set()

/** Returns the keys that a schema reads of an object, none without a schema; `undefined` where it may read any. */
export function schemaKeys(schema: $ZodType | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined) return none
  const { type, shape, catchall, innerType, in: input, left, right, options } = schema._zod.def as SchemaParts
  if (type === 'object' && shape !== undefined) {
    return catchall === undefined || catchall._zod.def.type === 'never' ? new Set(Object.keys(shape)) : undefined
  }
  if (type === 'intersection') return joinKeys([left, right])
  if (type === 'union') return joinKeys(options ?? [])
  const inner = innerType ?? input
  return inner === undefined ? undefined : schemaKeys(inner)
}

function joinKeys(schemas: readonly ($ZodType | undefined)[]): ReadonlySet<string> | undefined {
  const joined = new Set<string>()
  for (const schema of schemas) {
    const keys = schema === undefined ? undefined : schemaKeys(schema)
    if (keys === undefined) return undefined
    for (const key of keys) joined.add(key)
  }
  return joined
}
