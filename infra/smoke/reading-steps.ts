import { guardBasePath } from '../../lib/routes.ts'
import { encodePathId } from '../../lib/rows/row-id.ts'
import {
  callPassing,
  callService,
  endpointPath,
  expectStatus,
  readBody,
  type ServiceResponse,
  type SmokeTarget,
} from './service-call.ts'
import { StepFailure, StepSkipped } from './step-failure.ts'
import type { Steps } from './steps.ts'
import { type Item, type LoadedTable, loadedTable, page, refetchedRow, tableList } from './wire.ts'

/** A table with a first row to try things on. */
export interface TableWithRow {
  readonly table: LoadedTable
  readonly row: Item
}

/** Loads what the caller sees: on each guard, then each table (or `only` that one) with its first page. */
export async function takeReadingSteps(
  steps: Steps,
  target: SmokeTarget,
  only: string | undefined,
): Promise<readonly TableWithRow[] | undefined> {
  let names: readonly string[] | undefined
  for (const guard of target.guards) names = (await takeGuard(steps, target, guard)) ?? names
  await takePreflight(steps, target)
  const asked = names?.filter((name) => only === undefined || name === only)
  const tables = await steps.take({
    name: 'structure of each table, with its first page',
    advice: { likely: 'The functions cannot read the tables', fix: 'RUNBOOK.md, "Requests fail"' },
    given: asked,
    run: (known) => loadTables(target, known),
  })
  const [first] = tables ?? []
  await takePage(steps, target, first)
  await takeFilter(steps, target, tables)
  return tables
}

function takeGuard(steps: Steps, target: SmokeTarget, guard: string) {
  return steps.take({
    name: `list of tables on the guard "${guard}"`,
    advice: {
      likely: 'The guard is not deployed, or its routes lead nowhere',
      fix: "Compare --guards with the stage's guards, and deploy",
    },
    given: target,
    run: async () => {
      const response = await callPassing(target, guardBasePath(guard))
      const names = readBody(tableList, response).tables.map(({ tableName }) => tableName)
      return { seen: names, detail: names.join(', ') || 'no table' }
    },
  })
}

function takePreflight(steps: Steps, target: SmokeTarget) {
  const advice = {
    likely: 'The origin is not in allowedOrigins of the stage, or the preflight is answered by no CORS setting',
    fix: 'Add the origin to allowedOrigins and deploy; or name another one by --origin',
  }
  return steps.take({
    name: 'CORS preflight of query-table',
    advice,
    given: target,
    run: async ({ origin }) => {
      if (origin === undefined) throw new StepSkipped('no origin is known: name one by --origin')
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,ln,idempotency-key',
      }
      const call = { method: 'OPTIONS', token: null, headers } as const
      const response = await callService(target, endpointPath(target, 'query-table', 'any'), call)
      const corsHeader = (name: string) => response.headers.get(`access-control-allow-${name}`)?.toLowerCase() ?? ''
      if (![200, 204].includes(response.status)) expectStatus(response, 204)
      if (![origin.toLowerCase(), '*'].includes(corsHeader('origin')))
        throw new StepFailure(`the allowed origin is "${corsHeader('origin')}", not ${origin}`, advice)
      for (const name of ['authorization', 'idempotency-key']) {
        if (!corsHeader('headers').includes(name)) throw new StepFailure(`the header ${name} is not allowed`, advice)
      }
      return { seen: true, detail: origin }
    },
  })
}

/** Reads tables one after another: a smoke test must not be the load that it looks for. */
async function loadTables(target: SmokeTarget, names: readonly string[]) {
  if (names.length === 0)
    throw new StepFailure('the caller is shown no table', {
      likely: 'A middleware hides every table from the caller, or --table names none of them',
      fix: 'Use a token of a user who may load a table',
    })
  const tables: TableWithRow[] = []
  for (const name of names) {
    const headers = { 'accept-encoding': 'br' }
    const response = await callPassing(target, endpointPath(target, 'load-table', name, 'true'), { headers })
    expectCompressed(response)
    const table = readBody(loadedTable, response)
    const [row] = table.data
    if (row !== undefined) tables.push({ table, row })
  }
  if (tables.length === 0)
    throw new StepFailure('no table shows the caller a row', {
      likely: 'The tables are empty, or nothing is in the scope of the caller',
      fix: 'Use a token of a user who sees rows; an empty database has nothing to try on',
    })
  const detail = tables.map(({ table }) => `${table.tableName}: ${table.pagination.total} rows`).join(', ')
  return { seen: tables, detail: `${names.length} loaded; ${detail}` }
}

const minCompressedBytes = 1_024

function expectCompressed({ url, headers, bytes }: ServiceResponse): void {
  if (bytes.length < minCompressedBytes || headers.get('content-encoding') === 'br') return
  throw new StepFailure(`GET ${url}: ${bytes.length} bytes came without the compression that was accepted`, {
    likely: 'A proxy in front of the service, such as CloudFront, does not forward the header accept-encoding',
    fix: 'Let its cache policy allow Brotli and gzip, or forward the header',
  })
}

function takePage(steps: Steps, target: SmokeTarget, given: TableWithRow | undefined) {
  return steps.take({
    name: 'page of rows, and one of them again',
    advice: { likely: 'query-table does not read what load-table reads', fix: 'RUNBOOK.md, "Requests fail"' },
    given,
    run: async (one) => {
      const { table, row } = one
      const query = endpointPath(target, 'query-table', table.tableName)
      const { items, pagination } = readBody(page, await callPassing(target, query, { body: { perPage: 2 } }))
      const again = endpointPath(target, 'multi-row-refetch', table.tableName)
      await callPassing(target, again, { body: { row_ids: [row.id] } })
      const { id } = await refetch(target, one)
      if (id !== row.id) throw new StepFailure(`row-refetch of row ${row.id} of ${table.tableName} returned row ${id}`)
      return { seen: true, detail: `${table.tableName}: ${items.length} of ${pagination.total} rows` }
    },
  })
}

/** Reads the row again. */
export async function refetch(target: SmokeTarget, { table, row }: TableWithRow): Promise<Item> {
  const path = `${endpointPath(target, 'row-refetch', table.tableName)}/${encodePathId(String(row.id))}`
  return readBody(refetchedRow, await callPassing(target, path, { body: {} })).data.row
}

interface TriedFilter extends TableWithRow {
  readonly field: string
  readonly value: string | number
}

/** The first filter that takes "=" and stands over a cell of a text or a number. */
function chooseFilter(tables: readonly TableWithRow[]): TriedFilter | undefined {
  for (const { table, row } of tables) {
    for (const { type, filter_name: field, props } of table.filters) {
      const value = row[field]
      const isPlain = (typeof value === 'string' && value !== '') || typeof value === 'number'
      if (isPlain && ['text', 'number', 'select'].includes(type) && props.operators.includes('='))
        return { table, row, field, value }
    }
  }
  return undefined
}

function takeFilter(steps: Steps, target: SmokeTarget, tables: readonly TableWithRow[] | undefined) {
  return steps.take({
    name: 'filter',
    advice: { likely: 'A filter finds other rows than its table shows', fix: 'RUNBOOK.md, "Requests fail"' },
    given: tables,
    run: async (known) => {
      const chosen = chooseFilter(known)
      if (chosen === undefined) throw new StepSkipped('no table has a filter by "=" over a cell of its first row')
      const { table, field, value } = chosen
      const body = { filters: [{ field, operator: '=', value }], perPage: 5 }
      const path = endpointPath(target, 'query-table', table.tableName)
      const { items, pagination } = readBody(page, await callPassing(target, path, { body }))
      const others = items.filter((item) => item[field] !== value)
      if (items.length === 0 || others.length > 0)
        throw new StepFailure(
          `${table.tableName} where ${field} = ${JSON.stringify(value)}: ${items.length} rows, ${others.length} of them others`,
        )
      return {
        seen: true,
        detail: `${table.tableName} where ${field} = ${JSON.stringify(value)}: ${pagination.total} rows`,
      }
    },
  })
}
