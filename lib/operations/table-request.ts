import type { SQL } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'

/** The own keys of a JSON object that nobody has looked at yet. */
export type UnknownBody = Readonly<Record<string, unknown>>

/** A request that passed access control, with everything that its operation may touch. */
export interface TableRequest {
  readonly table: CompiledTable
  readonly view: TableView
  readonly context: RequestContext
  readonly scope: SQL
  readonly config: Config
  readonly database: Database
  /** The path's parameters, decoded once by the gateway. */
  readonly path: Readonly<Record<string, string | undefined>>
  readonly body: UnknownBody
}

/** What an endpoint answers beside `success: true`; a value may be `JsonText`. */
export type Payload = Readonly<Record<string, unknown>>

export type Operation = (request: TableRequest) => Promise<Payload>

/** Reads an own key of a body; `undefined` where it is absent or inherited. */
export const ownValue = (body: UnknownBody, key: string): unknown => (Object.hasOwn(body, key) ? body[key] : undefined)
