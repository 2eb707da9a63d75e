import type { OpenApiDocument } from '../../../lib/index.ts'
import { type EndpointName, guardPrefix } from '../../../lib/routes.ts'

/** The operation and its request, in the gateway's terms; without a name no route matched. */
export interface AskedRoute {
  readonly name: EndpointName | undefined
  readonly routeKey: string
  readonly tableName?: string | undefined
}

/** Names a route and its table in a message. */
export const nameRoute = ({ routeKey, tableName }: AskedRoute): string =>
  tableName === undefined ? routeKey : `${routeKey} (${tableName})`

/** The guard of a route, whose document describes it. */
export const readGuard = (routeKey: string): string => /^\S+ \/(?:([^/]+)\/)?api-table\//.exec(routeKey)?.[1] ?? 'web'

/** Returns the place of an operation: the table's own one if the document has it, else the generic one. */
export function operationKeys({ paths }: OpenApiDocument, { routeKey, tableName }: AskedRoute): readonly string[] {
  const [method = '', whole = ''] = routeKey.split(' ')
  const path = whole.slice(guardPrefix(readGuard(routeKey)).length)
  const own = path.replace('{tableName}', encodeURIComponent(tableName ?? ''))
  return ['paths', own in paths ? own : path, method.toLowerCase()]
}

/** Returns what a document has at a place; `undefined` if it has nothing there. */
export const findPart = <Part>(document: OpenApiDocument, keys: readonly string[]): Part | undefined =>
  keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document) as Part | undefined

/** Returns what a reference without escaped characters leads to. */
export const resolveReference = (document: OpenApiDocument, pointer: string): unknown =>
  findPart(document, pointer.slice(2).split('/'))

const escapeKey = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

export const pointerTo = (keys: readonly string[]): string => `#/${keys.map(escapeKey).join('/')}`
