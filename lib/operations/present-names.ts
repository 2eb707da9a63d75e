import { formKeys } from '../table/action-entry.ts'
import { actionKey } from '../table/action-key.ts'
import { formerName, presentName, type Renamable } from '../table/former-names.ts'
import type { Formerly } from '../table/formerly.ts'
import type { TableView } from '../table/view.ts'
import type { Reply } from './reply.ts'
import type { Operation, Payload, TableRequest, UnknownBody } from './table-request.ts'

/** A former name that a request may use, what it is called now, and what its author has said of it. */
interface PresentName {
  readonly name: string
  readonly formerly: Formerly
}

type Names = ReadonlyMap<string, PresentName>

/** The former names that a caller may know, by kind. What is hidden from the caller has none. */
interface FormerNames {
  readonly columns: Names
  readonly filters: Names
}

/**
 * Runs an operation on a request whose former names are replaced by the present ones. The parts of the response that are named by the
 * request are there under both.
 */
export async function runUnderPresentNames(request: TableRequest, run: Operation): Promise<Payload | Reply> {
  const { view, path } = request
  const former: Formerly[] = []
  const action = findFormerAction(view, path['action'])
  if (action !== undefined) former.push(action.formerly)
  const presentPath = action === undefined ? path : { ...path, action: action.name }
  const used = new Map<string, string>()
  const body = presentBody(request, presentPath['action'], { former, used })
  addHeaders(request, former)
  const outcome = await run({ ...request, path: presentPath, body })
  return used.size === 0 ? outcome : addFormerKeys(outcome, used)
}

/** Replaces the former names of a saved query by the present ones, as far as the caller may see what they name. */
export function presentQuery<Query extends UnknownBody>(
  request: Pick<TableRequest, 'view' | 'responseHeaders'>,
  query: Query,
): Query {
  if (request.view.table.formerNames.length === 0) return query
  const former: Formerly[] = []
  const replace = createReplacer(listNames(request.view), { former, used: new Map() })
  const present = replaceNames(query, Object.keys(query), replace, true)
  addHeaders(request, former)
  // The keys stay the same.
  return present as Query
}

/** Adds what a response says of former names: the earliest dates of all. */
function addHeaders(request: Pick<TableRequest, 'responseHeaders'>, former: readonly Formerly[]): void {
  if (former.length === 0 || request.responseHeaders === undefined) return
  const earliest = (key: 'since' | 'sunset') => Math.min(...former.map((one) => Date.parse(one[key])))
  request.responseHeaders['deprecation'] = `@${earliest('since') / 1_000}`
  request.responseHeaders['sunset'] = new Date(earliest('sunset')).toUTCString()
}

function listNames({ columns, filters }: TableView): FormerNames {
  const read = (parts: readonly Renamable[]) =>
    new Map(
      parts.flatMap((part) => {
        const [former, { formerly }] = [formerName(part), part.definition]
        return former === undefined || formerly === undefined
          ? []
          : [[former, { name: presentName(part), formerly }] as const]
      }),
    )
  return { columns: read(columns), filters: read([...filters.values()]) }
}

function findFormerAction({ rowActions, bulkActions }: TableView, asked = ''): PresentName | undefined {
  const actions = [...rowActions, ...bulkActions]
  const keys = new Set([asked, actionKey(asked)])
  if (actions.some(({ key, name }) => keys.has(key) || name === asked)) return undefined
  const action = actions.find((one) => keys.has(formerName(one) ?? ''))
  const formerly = action?.definition.formerly
  return action && formerly && { name: action.key, formerly }
}

/** The former names that a request has used, and their present ones, for the response. */
interface Found {
  readonly former: Formerly[]
  readonly used: Map<string, string>
}

type Replace = (kind: keyof FormerNames, name: unknown) => unknown

const createReplacer =
  (names: FormerNames, { former, used }: Found): Replace =>
  (kind, name) => {
    const present = typeof name === 'string' ? names[kind].get(name) : undefined
    if (present === undefined) return name
    former.push(present.formerly)
    used.set(String(name), present.name)
    return present.name
  }

function presentBody(request: TableRequest, action: string | undefined, found: Found): UnknownBody {
  const { view, query, body, path } = request
  const replace = createReplacer(listNames(view), found)
  if (action !== undefined) {
    // The fields of a form are the author's own, and a row action has nothing else.
    const definition = view.bulkActions.find(({ key }) => key === actionKey(action))?.definition
    if (definition === undefined || path['id'] !== undefined) return body
    const fields = formKeys(definition)
    const keys = nameKeys.filter((key) => !fields.includes(key))
    return replaceNames(body, keys, replace, true)
  }
  const saved = Object.hasOwn(body, 'query') ? body['query'] : undefined
  if (isObject(saved)) return { ...body, query: replaceNames(saved, nameKeys, replace, true) }
  const written = new URLSearchParams(request.method === 'GET' ? query : '')
  const sent = { ...readQuery(written), ...body }
  return replaceNames(sent, nameKeys, replace, false)
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

const isObject = (value: unknown): value is UnknownBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  if (key === 'filters') return replaceNamed(value, (name) => replace('filters', name))
  if (key === 'sorts') return replaceNamed(value, (name) => replace('columns', name))
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
function replaceNamed(value: unknown, rename: Rename): unknown {
  if (Array.isArray(value)) return value.map((entry) => replaceField(entry, rename))
  if (!isObject(value)) return value
  if (typeof value['field'] === 'string') return replaceField(value, rename)
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [rename(name), replaceField(entry, rename)]))
}

const kinds = ['all', 'any', 'none']

/** Deeper groups are refused when they are read. */
const maxDepth = 10

function replaceGroup(node: unknown, replace: Replace, depth = 0): unknown {
  if (!isObject(node) || depth > maxDepth) return node
  const kind = kinds.find((one) => Array.isArray(node[one]))
  if (kind === undefined) return replaceField(node, (name) => replace('filters', name))
  return { ...node, [kind]: replaceList(node[kind], (part) => replaceGroup(part, replace, depth + 1)) }
}

/** Adds the former keys to the parts of a page that have the names of the request. */
function addFormerKeys<Outcome extends Payload | Reply>(payload: Outcome, used: ReadonlyMap<string, string>): Outcome {
  const add = (part: unknown) =>
    isObject(part)
      ? {
          ...part,
          ...Object.fromEntries([...used].flatMap(([old, name]) => (name in part ? [[old, part[name]]] : []))),
        }
      : part
  const groups: unknown = Reflect.get(payload, 'groups')
  return {
    ...payload,
    ...Object.fromEntries(
      ['aggregates', 'facets', 'bindings'].flatMap((key) =>
        key in payload ? [[key, add(Reflect.get(payload, key))]] : [],
      ),
    ),
    ...(Array.isArray(groups) && {
      groups: groups.map((group) => ({ ...group, aggregates: add(Object(group).aggregates) })),
    }),
  }
}
