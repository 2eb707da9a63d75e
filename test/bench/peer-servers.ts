import { type ChildProcess, execFile, fork } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { Bench } from './figure.ts'
import { flightsPath, indexedQuery, indexedRequest } from './flights-request.ts'
import { benchDirectory, environment } from './installation.ts'
import { nextMessage, startProcess } from './process.ts'

/** A page of flights in one form for all servers: the cells of each row in the order of the table's columns. */
export interface FlightsPage {
  readonly rows: readonly (readonly (string | number)[])[]
  readonly total: number
}

/** How a server is asked for the page, and where its response has the rows. */
export interface PageForm {
  readonly name: string
  /** The process that answers; two forms may share one. */
  readonly server: ServerName
  readonly path: string
  /** Absent: the request is a GET. */
  readonly body?: object
  readonly read: (response: unknown) => FlightsPage
}

export type ServerName = 'gateway' | 'limit' | 'postgraphile' | 'nestjs-paginate' | 'datatables-editor'

const [origin, destination] = indexedQuery.filters.map(({ value }) => value)

const graphql = `query Flights($origin: String!, $destination: String!) {
  allFlights(condition: { origin: $origin, destination: $destination }, orderBy: [DATE_DESC, ROW_ID_DESC], first: 20) {
    totalCount
    nodes {
      rowId date origin airportByOrigin { city state } destination airportByDestination { city state } delay distance
    }
  }
}`

const text = z.string()
/** A date of any form, as the minute that it names. */
const minute = text.transform((value) => value.replace('T', ' ').slice(0, 16))
const place = z.object({ city: text, state: text })

const flight = { date: minute, origin: text, destination: text, delay: z.number(), distance: z.number() }

type Row = FlightsPage['rows'][number]
type Flight = z.output<z.ZodObject<typeof flight>>
type Place = z.output<typeof place>

const toRow = (id: number, one: Flight, from: Place, to: Place): Row => [
  ...[id, one.date, one.origin, from.city, from.state],
  ...[one.destination, to.city, to.state, one.delay, one.distance],
]

const ownResponse = z.object({
  items: z.array(
    z.object({
      ...flight,
      id: z.number(),
      origin__city: text,
      origin__state: text,
      destination__city: text,
      destination__state: text,
    }),
  ),
  pagination: z.object({ total: z.number() }),
})

function readOwn(response: unknown): FlightsPage {
  const { items, pagination } = ownResponse.parse(response)
  const rows = items.map((item) =>
    toRow(
      item.id,
      item,
      { city: item.origin__city, state: item.origin__state },
      { city: item.destination__city, state: item.destination__state },
    ),
  )
  return { rows, total: pagination.total }
}

const postgraphileResponse = z.object({
  data: z.object({
    allFlights: z.object({
      totalCount: z.number(),
      nodes: z.array(z.object({ ...flight, rowId: z.number(), airportByOrigin: place, airportByDestination: place })),
    }),
  }),
})

function readPostgraphile(response: unknown): FlightsPage {
  const { totalCount, nodes } = postgraphileResponse.parse(response).data.allFlights
  const rows = nodes.map((one) => toRow(one.rowId, one, one.airportByOrigin, one.airportByDestination))
  return { rows, total: totalCount }
}

const nestResponse = z.object({
  data: z.array(z.object({ ...flight, id: z.number(), departure: place, arrival: place })),
  meta: z.object({ totalItems: z.number() }),
})

function readNest(response: unknown): FlightsPage {
  const { data, meta } = nestResponse.parse(response)
  return { rows: data.map((one) => toRow(one.id, one, one.departure, one.arrival)), total: meta.totalItems }
}

const editorResponse = z.object({
  data: z.array(z.object({ flights: z.object({ ...flight, id: z.number() }), o: place, d: place })),
  recordsFiltered: z.coerce.number(),
})

function readEditor(response: unknown): FlightsPage {
  const { data, recordsFiltered } = editorResponse.parse(response)
  return { rows: data.map(({ flights, o, d }) => toRow(flights.id, flights, o, d)), total: recordsFiltered }
}

const noSearch = { value: '', regex: 'false' }
const orderable = (data: string) => ({ data, searchable: 'true', orderable: 'true', search: noSearch })

/** The request that a table of DataTables sends for its first page, with numbers as texts. */
const editorRequest = {
  origin,
  destination,
  draw: '1',
  start: '0',
  length: '20',
  search: noSearch,
  order: [
    { column: '0', dir: 'desc' },
    { column: '1', dir: 'desc' },
  ],
  columns: [orderable('flights.date'), orderable('flights.id')],
}

const withKeys = { ...indexedQuery, row_actions: 'keys' }

/** The same page, asked of every server. The forms of the limit stand behind the ones whose bytes they send. */
export const pageForms = [
  { name: 'Table Control', server: 'gateway', ...indexedRequest, read: readOwn },
  { name: 'by hand', server: 'limit', ...indexedRequest, read: readOwn },
  { name: 'Table Control, action keys', server: 'gateway', path: flightsPath, body: withKeys, read: readOwn },
  { name: 'by hand, action keys', server: 'limit', path: flightsPath, body: withKeys, read: readOwn },
  {
    name: 'PostGraphile',
    server: 'postgraphile',
    path: '/graphql',
    read: readPostgraphile,
    body: { query: graphql, variables: { origin, destination } },
  },
  { name: 'DataTables Editor', server: 'datatables-editor', path: '/flights', body: editorRequest, read: readEditor },
  {
    name: 'nestjs-paginate',
    server: 'nestjs-paginate',
    read: readNest,
    path: `/flights?page=1&limit=20&sortBy=date:DESC&sortBy=id:DESC&filter.origin=$eq:${origin}&filter.destination=$eq:${destination}`,
  },
] as const satisfies readonly PageForm[]

export type FormName = (typeof pageForms)[number]['name']

const directory = resolve(benchDirectory, 'peers')
const installed = join(directory, 'installed.json')

/** Installs the peers beside the benchmark's database by their lockfile, unless they are there. */
async function installPeers(report: (line: string) => void): Promise<void> {
  const source = resolve(import.meta.dirname, 'peers')
  await cp(source, directory, { recursive: true })
  const lock = await readFile(join(source, 'package-lock.json'), 'utf8')
  if ((await readFile(installed, 'utf8').catch(() => '')) === lock) return
  report('installing the peers')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  await promisify(execFile)('npm', ['ci', ...options], { cwd: directory })
  await writeFile(installed, lock)
}

/** A server that runs. */
export interface Server {
  readonly name: ServerName
  readonly port: number
  readonly child: ChildProcess
}

const connections = 8

/** Starts every server in a process of its own, with as many connections to the same database. */
export async function startServers(bench: Bench, caller: string): Promise<readonly Server[]> {
  const { report } = bench
  await installPeers(report)
  report('starting the servers')
  const own = { ...environment(bench, connections), NODE_ENV: 'production' }
  // Their driver reads a time without a zone in the process's own.
  const env = { ...own, TZ: 'UTC' }
  const peer = (name: ServerName) => fork(join(directory, `${name}.mjs`), [], { env })
  const started: readonly (readonly [ServerName, ChildProcess])[] = [
    ['gateway', startProcess('gateway', [], own)],
    ['limit', startProcess('limit', [caller], own)],
    ...(['postgraphile', 'datatables-editor', 'nestjs-paginate'] as const).map((name) => [name, peer(name)] as const),
  ]
  return Promise.all(
    started.map(async ([name, child]) => {
      child.once('exit', (code) => {
        if (code !== 0 && code !== null) report(`${name} ended with ${code}`)
      })
      return { name, child, port: await nextMessage<number>(child) }
    }),
  )
}
