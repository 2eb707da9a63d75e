import { isObject, ownValue, type UnknownBody } from '../table/unknown-body.ts'

/** A filter of a request, the same for each form that a request may use. */
export interface RequestFilter {
  /** The path in the body, for messages. */
  readonly path: string
  readonly field: unknown
  readonly operator: unknown
  readonly value: unknown
}

export interface RequestSort {
  readonly path: string
  readonly field: unknown
  readonly direction: unknown
  /** Absent where the entry has none, and in an object by field. */
  readonly nulls?: unknown
}

const maxNameLength = 100

/** The most flat filters of a request. */
export const maxFilters = 100

/** A name of the client's own, short enough to be repeated in a message. */
const clipName = (name: string): string => name.slice(0, maxNameLength)

/**
 * Reads both forms of filters: a list of `{field, operator, value}`, or an object keyed by filter name whose entries
 * may carry the filter's own definition. `undefined` where the value has neither form. Reads no more than one entry
 * beyond `max`, so that a list that is too long costs nothing.
 */
export function readFilters(filters: unknown, max: number): readonly RequestFilter[] | undefined {
  if (filters === undefined || filters === null) return []
  if (Array.isArray(filters)) {
    return filters.slice(0, max + 1).map((entry, index) => readFilter(entry, `filters.${index}`, undefined))
  }
  if (!isObject(filters)) return undefined
  const names = Object.keys(filters).slice(0, max + 1)
  return names.map((name) => readFilter(filters[name], `filters.${clipName(name)}`, name))
}

function readFilter(entry: unknown, path: string, name: string | undefined): RequestFilter {
  if (!isObject(entry)) return { path, field: name, operator: undefined, value: name === undefined ? undefined : entry }
  const field = ownValue(entry, 'field') ?? ownValue(entry, 'filter_name') ?? ownValue(entry, 'key') ?? name
  return {
    path,
    field,
    operator: ownValue(entry, 'operator') ?? firstOperator(ownValue(entry, 'props')),
    value: ownValue(entry, 'value') ?? (name === undefined ? undefined : asPickedDays(entry)),
  }
}

/** In an object of filters, `{from, to}` is a value and not an entry that lacks one. */
const asPickedDays = (entry: UnknownBody): UnknownBody | undefined =>
  !Object.hasOwn(entry, 'value') && (Object.hasOwn(entry, 'from') || Object.hasOwn(entry, 'to')) ? entry : undefined

const firstOperator = (props: unknown): unknown => {
  const operators = isObject(props) ? ownValue(props, 'operators') : undefined
  return Array.isArray(operators) ? operators[0] : undefined
}

const sortWords = new Set(['label', 'direction'])

/**
 * Reads a list of `{field, direction}`, or one object whose extra key is the field; `undefined` for neither. A field
 * that is itself called `label` or `direction` needs to be among `sortables`. Reads one sort more than `max`, so that
 * more are noticed.
 */
export function readSorts(
  sorts: unknown,
  sortables: ReadonlySet<string>,
  max: number,
): readonly RequestSort[] | undefined {
  if (sorts === undefined || sorts === null) return []
  if (Array.isArray(sorts)) {
    return sorts.slice(0, max + 1).map((entry, index) => {
      const path = `sorts.${index}`
      return isObject(entry) ? { path, ...readSort(entry) } : { path, field: undefined, direction: undefined }
    })
  }
  if (!isObject(sorts)) return undefined
  const named = ownValue(sorts, 'field')
  if (typeof named === 'string') return [{ path: 'sorts', ...readSort(sorts) }]
  const fields = Object.keys(sorts).filter((key) => !sortWords.has(key))
  if (fields.length === 0) return sortByWord(sorts, sortables)
  return fields.slice(0, max + 1).map((field) => ({
    path: `sorts.${clipName(field)}`,
    field,
    direction: ownValue(sorts, 'direction') ?? sorts[field],
  }))
}

const readSort = (entry: UnknownBody) => ({
  field: ownValue(entry, 'field'),
  direction: ownValue(entry, 'direction'),
  nulls: ownValue(entry, 'nulls') ?? undefined,
})

/** A column called `label` or `direction` is the field where the object has no other key. */
function sortByWord(sorts: UnknownBody, sortables: ReadonlySet<string>): readonly RequestSort[] {
  const isDirection = (word: unknown) => typeof word === 'string' && /^(asc|desc)$/i.test(word)
  const field = [...sortWords].find((word) => sortables.has(word) && isDirection(ownValue(sorts, word)))
  return field === undefined ? [] : [{ path: `sorts.${field}`, field, direction: ownValue(sorts, field) }]
}
