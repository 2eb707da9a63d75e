import assert from 'node:assert/strict'
import { queryTable, type Registry, type Service, tableEndpoint } from '#lib'
import { createTokenVerifier } from '../../lib/auth/token-verifier.ts'
import { createDatabase } from '../../lib/db/database.ts'
import { benchRegistry } from './bench-registry.ts'
import { drive } from './drive.ts'
import { flightsEvent, indexedQuery } from './flights-request.ts'
import { type Installation, settings, token } from './installation.ts'
import { limitClient, practicalLimit } from './practical-limit.ts'

/** Another table than flights, and what is called for each statement: before it is sent, and after its response. */
export interface ProductOptions {
  readonly tables?: Registry
  readonly table?: string
  readonly observe?: (text: string, parameters: readonly unknown[]) => void
  readonly onResponse?: () => void
}

/** query-table as it is deployed, on a service of its own. */
export interface Product {
  readonly call: (query: object) => Promise<string>
  readonly close: () => Promise<void>
}

export function openProduct(installation: Installation, connections: number, options: ProductOptions = {}): Product {
  const config = settings(installation, connections)
  const database = createDatabase(config)
  const { observe, onResponse, tables = benchRegistry, table = 'flights' } = options
  const read: Service['database']['read'] = async (text, parameters) => {
    observe?.(text, parameters)
    const rows = await database.read(text, parameters)
    onResponse?.()
    return rows
  }
  const watched: typeof database = { ...database, read, as: () => watched }
  const service: Service = {
    config,
    database: observe === undefined ? database : watched,
    verifier: createTokenVerifier(config),
  }
  const handler = tableEndpoint(tables, { name: 'queryTableData', run: queryTable }, () => service)
  const caller = token()
  const events = new WeakMap<object, ReturnType<typeof flightsEvent>>()
  return {
    call: async (query) => {
      const event = events.get(query) ?? { ...flightsEvent(caller, query), pathParameters: { tableName: table } }
      events.set(query, event)
      const { statusCode, body } = await handler(event)
      if (statusCode !== 200) throw new Error(`query-table answered ${statusCode}: ${body}`)
      return body ?? ''
    },
    close: database.close,
  }
}

/** The practical limit on a pool of the same size. */
export function openLimit(databaseUrl: string, connections: number) {
  const sql = limitClient(databaseUrl, connections)
  const caller = token()
  const handler = practicalLimit(sql, new Map([[caller, { subject: 'bench', expiresAt: Date.now() / 1000 + 86_400 }]]))
  const event = flightsEvent(caller, indexedQuery)
  return {
    sql,
    call: async (query?: object): Promise<string> =>
      (await handler(query === undefined ? event : flightsEvent(caller, query))).body,
    close: () => sql.end({ timeout: 1 }),
  }
}

const warmUpMs = 4_000

/** Lets the compiler finish with both sides: what is measured then is a function that has answered for a while. */
export async function warmUp(installation: Installation): Promise<void> {
  const product = openProduct(installation, 4)
  const limit = openLimit(installation.databaseUrl, 4)
  await drive(() => product.call(indexedQuery), 10, warmUpMs)
  await drive(limit.call, 10, warmUpMs)
  await Promise.all([product.close(), limit.close()])
}

/** Fails unless both answer the indexed query with the same bytes. */
export async function assertSameResponse(
  product: Product,
  limit: { readonly call: () => Promise<string> },
): Promise<number> {
  const one = await product.call(indexedQuery)
  const other = await limit.call()
  assert.equal(one, other)
  return Buffer.byteLength(one)
}
