import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import { actionKey } from '../table/action-key.ts'
import { findFormerAction, listRenamed, type PresentName, type Renamable } from '../table/former-names.ts'
import type { Formerly } from '../table/formerly.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import { isObject } from '../table/unknown-body.ts'
import type { TableView } from '../table/view.ts'
import { isEmpty } from './item-context.ts'
import type { Reply } from './reply.ts'
import { type Operation, ownValue, type Payload, type TableRequest, type UnknownBody } from './table-request.ts'

type Names = ReadonlyMap<string, PresentName>

/** The former names that a caller may know, by kind. What is hidden from the caller has none. */
interface FormerNames {
  readonly columns: Names
  readonly filters: Names
}

/**
 * Runs an operation on a request whose former names are replaced by the present ones. The parts of the response that
 * are named by the request are there under both.
 */
export async function runUnderPresentNames(request: TableRequest, run: Operation): Promise<Payload | Reply> {
  const { view, path } = request
  const former: Formerly[] = []
  const action = findFormerAction(view, path['action'])
  if (action !== undefined) former.push(action.formerly)
  const presentPath = action === undefined ? path : { ...path, action: action.name }
  const used = { columns: new Map<string, string>(), filters: new Map<string, string>() }
  try {
    const body = findBody()
    // The hash of an Idempotency-Key stays the one that the request had before the renaming.
    const sent = { sentBody: request.body, ...(action !== undefined && { sentAction: action.former }) }
    const outcome = await run({ ...request, path: presentPath, body, ...sent })
    return used.columns.size + used.filters.size === 0 ? outcome : addFormerKeys(outcome, used)
  } catch (error) {
    throw withHeaders(error, request.responseHeaders ?? {})
  }

  function findBody(): UnknownBody {
    try {
      return presentBody({ ...request, path: presentPath }, { former, used })
    } finally {
      addHeaders(request, former)
    }
  }
}

/** Returns an error that is answered with further headers. Anything but a refusal stays as it is. */
function withHeaders(error: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof RequestError)) return error
  const { code, text, hint, status, cause, fields, payload } = error
  const further = { ...(hint && { hint }), ...(fields && { fields }), ...(payload && { payload }) }
  return new RequestError(
    'validation_failed',
    {},
    { code, text, status, cause, ...further, headers: { ...error.headers, ...headers } },
  )
}

/** Replaces the former names of a saved query by the present ones, as far as the caller may see what they name. */
export function presentQuery<Query extends UnknownBody>(
  request: Pick<TableRequest, 'view' | 'responseHeaders'>,
  query: Query,
): Query {
  if (request.view.table.formerNames.length === 0) return query
  const former: Formerly[] = []
  const replace = createReplacer(listNames(request.view), { former, used: { columns: new Map(), filters: new Map() } })
  const present = replaceNames(query, Object.keys(query), replace, true)
  addHeaders(request, former)
  // The keys stay the same.
  return present as Query
}

/** Replaces the former names of a page that was asked for before its parts were renamed. Items keep those in `columns`. */
export function presentPage(view: TableView, body: UnknownBody): UnknownBody {
  if (view.table.formerNames.length === 0) return body
  const found = { former: [], used: { columns: new Map(), filters: new Map() } }
  return replaceNames(body, nameKeys, createReplacer(listNames(view), found), false)
}

/** Adds what a response says of former names: the earliest dates of all. */
function addHeaders(request: Pick<TableRequest, 'responseHeaders'>, former: readonly Formerly[]): void {
  if (former.length === 0 || request.responseHeaders === undefined) return
  const earliest = (key: 'since' | 'sunset') => Math.min(...former.map((one) => Date.parse(one[key])))
  request.responseHeaders['deprecation'] = `@${earliest('since') / 1_000}`
  request.responseHeaders['sunset'] = new Date(earliest('sunset')).toUTCString()
}

function listNames({ columns, filters }: TableView): FormerNames {
  const read = (parts: readonly Renamable[]) => new Map(listRenamed(parts).map((part) => [part.former, part]))
  return { columns: read(columns), filters: read([...filters.values()]) }
}

/** The former names that a request has used, and their present ones, for the response. */
interface FoundNames {
  readonly former: Formerly[]
  readonly used: Used
}

type Used = { readonly [Kind in keyof FormerNames]: Map<string, string> }

type Replace = (kind: keyof FormerNames, name: unknown) => unknown

const createReplacer =
  (names: FormerNames, { former, used }: FoundNames): Replace =>
  (kind, name) => {
    const present = typeof name === 'string' ? names[kind].get(name) : undefined
    if (present === undefined) return name
    former.push(present.formerly)
    used[kind].set(String(name), present.name)
    return present.name
  }

function presentBody(request: TableRequest, found: FoundNames): UnknownBody {
  const { view, query, body, path } = request
  const replace = createReplacer(listNames(view), found)
  if (path['action'] !== undefined) return presentActionBody(request, actionKey(path['action']), replace)
  const saved = ownValue(body, 'query')
  if (isObject(saved)) return { ...body, query: replaceNames(saved, nameKeys, replace, true) }
  const written = new URLSearchParams(request.method === 'GET' ? query : '')
  const sent = { ...readQuery(written), ...body }
  return replaceNames(sent, nameKeys, replace, false)
}

function presentActionBody({ view, body, path }: TableRequest, action: string, replace: Replace): UnknownBody {
  const hasPage = !isEmpty(ownValue(body, 'include'))
  if (action === updateCellsKey && hasEditing(view))
    return { ...(hasPage ? replaceNames(body, nameKeys, replace, false) : body), ...presentCells(body, replace) }
  const isAsked = ({ key }: { readonly key: string }) => key === action
  const bulk = path['id'] === undefined ? view.bulkActions.find(isAsked)?.definition : undefined
  const definition = bulk ?? view.rowActions.find(isAsked)?.definition
  if (definition === undefined) return body
  const fields = formKeys(definition)
  // A row action has the fields of its form, which are the author's own, and the page of its effects.
  if (bulk === undefined && (!hasPage || fields.includes('include') || hasOpenForm(definition))) return body
  const keys = nameKeys.filter((key) => !fields.includes(key))
  return replaceNames(body, keys, replace, bulk?.export !== undefined)
}

/** Replaces the names of columns in the `cells` of `update_cells`. */
function presentCells(body: UnknownBody, replace: Replace): UnknownBody {
  const cells = ownValue(body, 'cells')
  return isObject(cells) ? { cells: renameKeys(cells, 'cells', (name) => replace('columns', name)) } : {}
}

/** Reads the keys of a query that hold names, as load-table does. */
function readQuery(written: URLSearchParams): UnknownBody {
  return Object.fromEntries(
    nameKeys.flatMap((key) => {
      try {
        const text = written.get(key)
        return text === null ? [] : [[key, JSON.parse(text)]]
      } catch {
        return []
      }
    }),
  )
}

/** Keys of a body that hold names of columns or filters. */
const nameKeys = [
  'filters',
  'filter_groups',
  'facets',
  'sorts',
  'columns',
  'aggregates',
  'group_by',
  'search',
  'options',
]

/** `renamesColumns`: also in `columns`, which otherwise keeps its former names, so that items have them as keys. */
function replaceNames(
  body: UnknownBody,
  keys: readonly string[],
  replace: Replace,
  renamesColumns: boolean,
): UnknownBody {
  const entries = Object.entries(body).map(([key, value]) => {
    if (!keys.includes(key)) return [key, value] as const
    if (key !== 'columns' || renamesColumns) return [key, replaceIn(key, value, replace)] as const
    replaceIn(key, value, replace)
    return [key, value] as const
  })
  return Object.fromEntries(entries)
}

function replaceIn(key: string, value: unknown, replace: Replace): unknown {
  if (key === 'filters') return replaceNamed(value, key, (name) => replace('filters', name))
  if (key === 'sorts') return replaceNamed(value, key, (name) => replace('columns', name))
  if (key === 'filter_groups') return replaceGroup(value, replace)
  if (key === 'facets') return replaceList(value, (name) => replace('filters', name))
  if (key === 'columns') return replaceList(value, (name) => replace('columns', name))
  if (key === 'options') return replaceField(value, (name) => replace('filters', name))
  if (key === 'search')
    return isObject(value)
      ? { ...value, columns: replaceList(value['columns'], (name) => replace('columns', name)) }
      : value
  return replaceList(value, (entry) => replaceField(entry, (name) => replace('columns', name)))
}

type Rename = (name: unknown) => unknown

const replaceList = (value: unknown, rename: Rename): unknown => (Array.isArray(value) ? value.map(rename) : value)

const fieldKeys = ['field', 'filter_name', 'key'] as const

/** Renames the field of an entry, which may stand under one of several keys. */
function replaceField(entry: unknown, rename: Rename): unknown {
  if (!isObject(entry)) return entry
  const key = fieldKeys.find((one) => Object.hasOwn(entry, one))
  return key === undefined ? entry : { ...entry, [key]: rename(entry[key]) }
}

/** Renames in a list of entries, or in an object by name. */
function replaceNamed(value: unknown, path: string, rename: Rename): unknown {
  if (Array.isArray(value)) return value.map((entry) => replaceField(entry, rename))
  if (!isObject(value)) return value
  if (typeof value['field'] === 'string') return replaceField(value, rename)
  const renamed = renameKeys(value, path, rename)
  return Object.fromEntries(Object.entries(renamed).map(([name, entry]) => [name, replaceField(entry, rename)]))
}

/** Throws `validation_failed` where a key is there under both names: one of the two values would be lost. */
function renameKeys(value: UnknownBody, path: string, rename: Rename): UnknownBody {
  const entries = Object.entries(value).map(([name, entry]) => {
    const present = String(rename(name))
    if (present !== name && Object.hasOwn(value, present))
      throw validationFailed({ [`${path}.${name}`]: [sentTwice(present)] })
    return [present, entry] as const
  })
  return Object.fromEntries(entries)
}

const sentTwice = (present: string): Bilingual => ({
  en: `is the former name of "${present}", which is sent as well; send one of them`,
  ar: `هو الاسم السابق لـ "${present}" المرسَل أيضًا؛ أرسل واحدًا منهما فقط`,
})

const kinds = ['all', 'any', 'none']

/** Deeper groups are refused when they are read. */
const maxDepth = 10

function replaceGroup(node: unknown, replace: Replace, depth = 0): unknown {
  if (!isObject(node) || depth > maxDepth) return node
  const kind = kinds.find((one) => Array.isArray(node[one]))
  if (kind === undefined) return replaceField(node, (name) => replace('filters', name))
  return { ...node, [kind]: replaceList(node[kind], (part) => replaceGroup(part, replace, depth + 1)) }
}

/**
 * Adds the former keys to the parts of a page that have the names of the request, and names in its lists what the
 * request named.
 */
function addFormerKeys<Outcome extends Payload | Reply>(payload: Outcome, used: Used): Outcome {
  const add = (part: unknown, names: ReadonlyMap<string, string>) =>
    isObject(part)
      ? {
          ...part,
          ...Object.fromEntries([...names].flatMap(([old, name]) => (name in part ? [[old, part[name]]] : []))),
        }
      : part
  const keyed = Object.entries({ aggregates: used.columns, facets: used.filters, bindings: used.filters })
  const { groups, explain, resolved } = payload as Readonly<Record<string, unknown>>
  const asked = new Map([...used.filters].map(([old, name]) => [name, old]))
  return {
    ...payload,
    ...Object.fromEntries(
      keyed.flatMap(([key, names]) => (key in payload ? [[key, add(Reflect.get(payload, key), names)]] : [])),
    ),
    ...(Array.isArray(groups) && {
      groups: groups.map((group) => ({ ...group, aggregates: add(Object(group).aggregates, used.columns) })),
    }),
    ...(isObject(explain) && { explain: nameAsAsked(explain, asked) }),
    ...(Array.isArray(resolved) && { resolved: resolved.map((period) => nameAsAsked(period, asked)) }),
  }
}

/** Replaces present names of filters by those of the request, in what holds the name of a filter. */
function nameAsAsked(value: unknown, asked: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return asked.get(value) ?? value
  if (Array.isArray(value)) return value.map((entry) => nameAsAsked(entry, asked))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, namingKeys.has(key) ? nameAsAsked(member, asked) : member]),
  )
}

/** The keys of explanations and periods that hold names of filters, or entries with such keys. */
const namingKeys: ReadonlySet<string> = new Set(['without', 'filter', 'most', 'excluded_by', 'field'])
