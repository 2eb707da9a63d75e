import { isDeepStrictEqual } from 'node:util'
import { safeParse } from 'zod/v4/core'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { ResponseContext } from './context.ts'
import type { TableView } from './view.ts'

type Params = Readonly<Record<string, unknown>>

/**
 * API Gateway lets 10,240 bytes of request line and headers through. A token and the longest path leave about this
 * much, and a page of 100 rows holds hundreds of such URLs.
 */
const maxParamsQueryBytes = 4_096

/** The query key of an action URL that marks the second step of a form; as a param it travels in `params`. */
export const stepKey = 'step'

const known = new WeakMap<ResponseContext, string>()

/**
 * Returns the request's `params` as the query of an action URL, without `?`; empty where there are none. Throws
 * `validation_failed` where they are too long for a URL: without them an action could run on more rows than the page
 * shows.
 */
export function paramsQuery(view: TableView, context: ResponseContext): string {
  const query = known.get(context) ?? writeQuery(view, context)
  known.set(context, query)
  if (query.length <= maxParamsQueryBytes) return query
  throw validationFailed({ params: [fieldFault('too_long_for_url', { max: maxParamsQueryBytes })] })
}

function writeQuery({ table: { definition } }: TableView, { params, sentParams }: ResponseContext): string {
  if (definition.params === undefined) return ''
  const entries = Object.entries(sentParams)
  const texts = entries.filter(([key, value]) => isPlainKey(key) && isText(value))
  const scalars = entries.filter(([key, value]) => isPlainKey(key) && (isText(value) || isScalar(value)))
  if (texts.length === scalars.length) return writeParams(texts, entries)
  // A number is a text in a query, which not every schema takes for the same.
  const asTexts = Object.fromEntries([...entries, ...scalars.map(([key, value]) => [key, String(value)])])
  const read = safeParse(definition.params, asTexts)
  return writeParams(read.success && isDeepStrictEqual(read.data, params) ? scalars : texts, entries)
}

type Entries = readonly [key: string, value: unknown][]

/** Writes what can be flat as flat keys, and the rest as one JSON object. */
function writeParams(flat: Entries, all: Entries): string {
  const flatKeys = new Set(flat.map(([key]) => key))
  const rest = all.filter(([key]) => !flatKeys.has(key))
  const query = new URLSearchParams(flat.map(([key, value]): [string, string] => [key, String(value)]))
  if (rest.length > 0) query.set('params', JSON.stringify(Object.fromEntries(rest)))
  // Clients that decode by decodeURIComponent would keep a plus sign.
  return query.toString().replaceAll('+', '%20')
}

const isPlainKey = (key: string): boolean =>
  key !== '' && key !== stepKey && key !== 'params' && !key.startsWith('params[') && key.isWellFormed()

const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed()

const isScalar = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

/** The same URL with a query behind it. */
export const withQuery = (url: string, query: string): string => (query === '' ? url : `${url}?${query}`)

/** The `params` of a request as they were sent; what is no object has been refused before. */
export const asSentParams = (params: unknown): Params =>
  typeof params === 'object' && params !== null ? (params as Params) : {}
