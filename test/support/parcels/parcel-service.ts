import postgres, { type Sql } from 'postgres'
import { createTokenVerifier } from '../../../lib/auth/token-verifier.ts'
import { loadConfig } from '../../../lib/config.ts'
import { createDatabase, type Database } from '../../../lib/db/database.ts'
import type { LoadedRegistry, Service } from '../../../lib/index.ts'
import { serviceDdl } from '../database/service-ddl.ts'
import { type DatabaseTemplate, testDatabase } from '../database/test-database.ts'
import { type Api, createApi } from '../requests/api.ts'
import { startIdentityProvider, type TestIdentity } from '../requests/identity-provider.ts'
import { serviceEnvironment } from '../requests/service-environment.ts'
import { createTableHandlers, type TableHandlers } from '../requests/table-handlers.ts'
import { depots, parcelCount, parcels, regions } from './parcel-rows.ts'
import { parcelRegistry } from './parcel-table.ts'

export interface RecordedStatement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

export interface TableService {
  readonly api: Api
  readonly handlers: TableHandlers
  readonly tokenFor: (identity: TestIdentity) => string
  readonly database: Database
  /** Statements that the library ran on its own since the last call. */
  readonly statements: () => readonly RecordedStatement[]
  readonly url: string
  readonly stop: () => Promise<void>
}

export type ParcelService = TableService

interface Options {
  readonly registry?: LoadedRegistry
  /** Puts something between the service and the database, such as a proxy. */
  readonly through?: (url: string) => Promise<string>
  readonly environment?: Readonly<Record<string, string>>
}

export const supervisor: TestIdentity = { sub: 'supervisor', role: 'supervisor' }

interface ParcelOptions extends Options {
  /** How many parcels there are: at least `parcelCount`, which is the default. */
  readonly count?: number
}

/** The endpoints over a copy of the parcels, with real tokens and a real database; stop it in `afterAll`. */
export const startParcelService = ({ count = parcelCount, ...options }: ParcelOptions = {}): Promise<ParcelService> => {
  const more = parcels(count).slice(parcelCount)
  const prepare = (url: string) => fill(url, (sql) => insertRows(sql, { parcels: more }))
  const table = { registry: parcelRegistry, template: parcelDatabase }
  return startTableService({ ...table, ...options, ...(more.length > 0 && { prepare }) })
}

interface TableServiceOptions extends Options {
  readonly registry: LoadedRegistry
  readonly template: DatabaseTemplate
  /** Adds to the copy of the template, as its owner. */
  readonly prepare?: (url: string) => Promise<void>
}

/** The endpoints over tables of any registry and a database of their own; stop it in `afterAll`. */
export async function startTableService({
  registry,
  template,
  prepare,
  through,
  environment,
}: TableServiceOptions): Promise<TableService> {
  const [copy, provider] = await Promise.all([testDatabase(template), startIdentityProvider()])
  await prepare?.(copy.url)
  const config = loadConfig({
    ...serviceEnvironment((await through?.(copy.serviceUrl)) ?? copy.serviceUrl, provider),
    LOG_MESSAGES: 'all',
    ...environment,
  })
  const real = createDatabase(config)
  const { database, statements } = recording(real)
  const service: Service = { config, database, verifier: createTokenVerifier(config) }
  const handlers = createTableHandlers(registry, () => service)
  const tokens = new Map<TestIdentity, string>()
  const tokenFor = (identity: TestIdentity): string => {
    const token = tokens.get(identity) ?? provider.tokenFor(identity)
    tokens.set(identity, token)
    return token
  }
  return {
    api: createApi(handlers, { tokenFor, as: supervisor, describing: { registry } }),
    handlers,
    tokenFor,
    database,
    url: copy.url,
    statements,
    stop: async () => {
      await Promise.all([real.close(), provider.stop()])
      await copy.drop()
    },
  }
}

/** The same database, with what is read through it written down. */
function recording(database: Database): {
  readonly database: Database
  readonly statements: () => readonly RecordedStatement[]
} {
  const recorded: RecordedStatement[] = []
  const recorder: Database = {
    read: (text, parameters) => {
      recorded.push({ text, parameters })
      return database.read(text, parameters)
    },
    readWithin: (maxMs, text, parameters) => {
      recorded.push({ text, parameters })
      return database.readWithin(maxMs, text, parameters)
    },
    attempt: (text, parameters) => database.attempt(text, parameters),
    session: () => database.session(),
    transaction: (work, mode) => database.transaction(work, mode),
    as: () => recorder,
    close: () => database.close(),
  }
  return { database: recorder, statements: () => recorded.splice(0) }
}

const schema = `
  create type parcel_kind as enum ('small', 'medium', 'a large one', 'odd');
  create table regions (id integer primary key, name text not null);
  create table depots (id integer primary key, city text, region_id integer);
  create table parcels (
    id integer primary key, code text not null unique, tenant text not null, state text, weight integer, big bigint,
    price numeric(12,3), score double precision, ratio real, kind parcel_kind, fragile boolean, shipped date,
    packed timestamp, seen timestamptz, token uuid, note text, depot_id integer
  );
  create index on parcels (state, id);
  create index on parcels (weight, id);
`

/** A database with the parcels, their depots and those's regions, analysed, and the service's own tables. */
const parcelDatabase: DatabaseTemplate = {
  name: 'parcels',
  build: (url) =>
    fill(url, async (sql) => {
      await sql.unsafe((await serviceDdl()) + schema)
      await insertRows(sql, { regions, depots, parcels: parcels() })
    }),
}

async function insertRows(sql: Sql, tables: Readonly<Record<string, readonly object[]>>): Promise<void> {
  for (const [table, rows] of Object.entries(tables)) {
    await sql`insert into ${sql(table)} select * from json_populate_recordset(null::${sql(table)}, ${JSON.stringify(rows)}::text::json)`
  }
}

/** Runs `task` in one session, and analyses the tables. */
async function fill(url: string, task: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await task(sql)
  await sql.unsafe('analyze')
  await sql.end()
}
