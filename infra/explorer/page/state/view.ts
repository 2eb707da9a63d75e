import { chosenLanguage } from './chosen-language.ts'
import { keptChoices, type OpenView } from './kept-choices.ts'

/** A filter as it is applied. Some operators have a list, and `is null` an empty text. */
export interface Applied {
  readonly field: string
  readonly operator: string
  readonly value: string | readonly string[]
}

export interface Sort {
  readonly field: string
  readonly direction: 'asc' | 'desc'
  /** The place of missing values; last unless it is said. */
  readonly nulls?: 'first'
}

/** A total of a column: a function of the service over all selected rows. */
interface Total {
  readonly field: string
  readonly fn: string
}

/**
 * A column by which rows are grouped. The bucket is a unit of the calendar or the width of ranges of numbers, or empty.
 */
export interface GroupColumn {
  readonly field: string
  readonly bucket: string
}

/** The group whose rows are on the screen, by the token that the service gave it. */
interface OpenGroup {
  readonly token: string
  readonly name: string
}

/** All that decides what is on the screen, apart from who looks: it is the part of the address behind `#`. */
export interface View {
  readonly table: string | undefined
  readonly filters: readonly Applied[]
  /** Conditions of which all, any or none hold, as the service takes them in `filter_groups`. */
  readonly groups: Readonly<Record<string, unknown>> | undefined
  /** Words that must all occur in a row; empty if nothing is searched. */
  readonly search: string
  readonly sorts: readonly Sort[]
  /** The totals below the columns. */
  readonly totals: readonly Total[]
  readonly groupBy: readonly GroupColumn[]
  readonly saved: OpenView | undefined
  readonly group: OpenGroup | undefined
  /** Whether groups are drawn as a chart. */
  readonly isChart: boolean
  readonly page: number
  readonly perPage: number
  /** Columns that differ from how the table begins: `-name` is hidden, `name` is shown. */
  readonly columns: readonly string[]
  readonly params: Readonly<Record<string, string>>
  /** Belongs to the browser and not to the address: each reader of a link has a language of their own. */
  readonly language: 'en' | 'ar'
}

export const pageSizes = [20, 50, 100] as const

/** Operators that take a list. */
export const takesList = (operator: string): boolean => ['in', 'not in', 'between', 'not between'].includes(operator)

/** Operators that take two values, the ends of a range. */
export const takesRange = (operator: string): boolean => operator === 'between' || operator === 'not between'

/** Operators that take no value. */
export const takesNothing = (operator: string): boolean => operator === 'is null' || operator === 'is not null'

/** Reads an address; what it does not understand it leaves out, so that an old link still opens. */
export function readView(hash: string): View {
  const [table = '', query] = hash.replace(/^#/, '').split('?', 2)
  const given = new URLSearchParams(query)
  const kept = query === undefined ? keptChoices(table) : {}
  const page = Number(given.get('page') ?? 1)
  const perPage = Number(given.get('per') ?? 20)
  return {
    table: decodeName(table),
    filters: readFilters(given),
    groups: readGroups(given.get('groups')),
    search: (given.get('q') ?? '').trim(),
    sorts: given.getAll('sort').map((text) => ({
      field: text.replace(/^-|:first$/g, ''),
      direction: text.startsWith('-') ? 'desc' : 'asc',
      ...(text.endsWith(':first') && { nulls: 'first' }),
    })),
    totals: readPairs(given, 'total').flatMap(([fn, field]) => (fn && field ? [{ fn, field }] : [])),
    groupBy: readPairs(given, 'by').flatMap(([bucket, field]) => (field ? [{ bucket, field }] : [])),
    group: readPairs(given, 'group').map(([token, name]) => ({ token, name }))[0],
    isChart: given.has('chart'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    perPage: pageSizes.find((size) => size === perPage) ?? 20,
    columns: kept.columns ?? given.getAll('column'),
    saved: readPairs(given, 'view').map(([id, revision]) => ({ id, revision: Number(revision) || 0 }))[0] ?? kept.saved,
    params: Object.fromEntries(
      [...given].flatMap(([key, value]) => (key.startsWith('p.') ? [[key.slice(2), value]] : [])),
    ),
    language: chosenLanguage(given.get('ln')),
  }
}

/** Reads parameters written as `<word>:<name>`. */
const readPairs = (given: URLSearchParams, key: string): readonly (readonly [string, string])[] =>
  given.getAll(key).map((text) => {
    const [word = '', name = ''] = text.split(/:(.*)/s)
    return [word, name]
  })

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined
  } catch {
    return undefined
  }
}

/** Whether they are groups the service says: it names what it refuses. */
function readGroups(text: string | null): View['groups'] {
  try {
    const groups: unknown = JSON.parse(text ?? '')
    return typeof groups === 'object' && groups !== null ? (groups as View['groups']) : undefined
  } catch {
    return undefined
  }
}

/** Written as `f.<field>=<operator>:<value>`, a list as several of them. */
function readFilters(given: URLSearchParams): readonly Applied[] {
  const filters = new Map<string, Applied>()
  for (const [key, text] of given) {
    const [, operator, value] = /^([^:]+):(.*)$/s.exec(text) ?? []
    if (!key.startsWith('f.') || operator === undefined || value === undefined) continue
    const field = key.slice(2)
    const before = filters.get(`${field} ${operator}`)?.value ?? []
    filters.set(`${field} ${operator}`, { field, operator, value: takesList(operator) ? [...before, value] : value })
  }
  return [...filters.values()]
}

/**
 * Writes an address that `readView` understands; what is as it begins is left out. `ending` takes the place of a query
 * of nothing.
 */
export function writeView(view: Omit<View, 'language'>, ending = ''): string {
  const { table, filters, groups, search, sorts, totals, groupBy, saved } = view
  const { group, isChart, page, perPage, columns, params } = view
  const query = new URLSearchParams()
  for (const { field, operator, value } of filters) {
    for (const one of typeof value === 'string' ? [value] : value) query.append(`f.${field}`, `${operator}:${one}`)
  }
  if (search !== '') query.set('q', search)
  if (groups !== undefined) query.set('groups', JSON.stringify(groups))
  for (const { field, direction, nulls } of sorts) {
    query.append('sort', `${direction === 'desc' ? '-' : ''}${field}${nulls ? ':first' : ''}`)
  }
  for (const { field, fn } of totals) query.append('total', `${fn}:${field}`)
  for (const { field, bucket } of groupBy) query.append('by', `${bucket}:${field}`)
  if (group !== undefined) query.set('group', `${group.token}:${group.name}`)
  if (saved !== undefined) query.set('view', `${saved.id}:${saved.revision || ''}`)
  if (isChart) query.set('chart', '')
  if (page > 1) query.set('page', String(page))
  if (perPage !== pageSizes[0]) query.set('per', String(perPage))
  for (const column of columns) query.append('column', column)
  for (const [name, value] of Object.entries(params)) query.append(`p.${name}`, value)
  return `#${table === undefined ? '' : encodeURIComponent(table)}${query.size > 0 ? `?${query}` : ending}`
}
