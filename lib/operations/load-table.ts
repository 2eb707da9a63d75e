import { findLimit, type UsageLimit } from '../db/usage-limits.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { maxSorts } from '../query/plan.ts'
import { truths } from '../query/read-value.ts'
import { maxFilters } from '../query/request-forms.ts'
import { loadBindings } from '../rows/bindings.ts'
import { maxSelectedRows } from '../rows/row-id.ts'
import { maxInstantRows } from '../table/compile-actions.ts'
import type { Option } from '../table/context.ts'
import { describeStructure } from '../table/structure.ts'
import { loadItemShape, pageKeys } from './item-actions.ts'
import { queryTable } from './query-table.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** The structure of a table, with its first page of rows when `withData` is true. */
export async function loadTable(request: TableRequest): Promise<Payload> {
  const { view, context, database, path } = request
  const withData = truths.get(path['withData'] || 'false')
  if (withData === undefined) throw validationFailed({ withData: [fieldFault('not_with_data')] })
  const body = pageBody(request)
  const limits = describeLimits(request)
  if (!withData) {
    // A typing error must show also where there is no item yet.
    const readShape = await loadItemShape({ ...request, body }, ['selection'])
    readShape()
    const [bindings, views] = await Promise.all([loadBindings(view, database, {}, context), listViews(request, body)])
    return { ...(await describe(request, bindings)), limits, ...views }
  }
  const [{ items, ...page }, views] = await Promise.all([queryTable({ ...request, body }), listViews(request, body)])
  return { ...(await describe(request, page.bindings)), limits, ...views, data: items, ...page }
}

/** Describes the limits of a caller. JSON leaves out a limit that is off. */
function describeLimits({ config, table: { maxPerPage } }: TableRequest) {
  const describe = (kind: UsageLimit['kind']) => {
    const limit = findLimit(config, kind)
    return limit && { max: limit.max, seconds: limit.seconds }
  }
  return {
    page_size: maxPerPage,
    filters: maxFilters,
    sorts: maxSorts,
    selected_rows: maxSelectedRows,
    instant_rows: maxInstantRows,
    requests: describe('requests'),
    exports: describe('exports'),
    mails: describe('mails'),
    jobs: { unfinished: config.JOBS_PER_CALLER, running: config.RUNNING_JOBS_PER_CALLER },
    sockets: config.SOCKETS_PER_CALLER,
  }
}

async function describe({ view, context }: TableRequest, bindings: Readonly<Record<string, readonly Option[]>>) {
  const structure = await describeStructure(view, context, bindings)
  const isPlain =
    view.table.formerNames.length === 0 &&
    !view.columns.some(({ definition }) => definition.editable) &&
    ![...view.filters.values()].some(({ optionLabel }) => optionLabel)
  return isPlain ? structure : (await import('./page-extensions.ts')).extendStructure(structure, view, context)
}

async function listViews(request: TableRequest, body: TableRequest['body']): Promise<Payload | undefined> {
  const asked = ownValue(body, 'views')
  return asked === undefined ? undefined : (await import('./page-extensions.ts')).listUsableViews(request, asked)
}

/** The keys of the body, or of the query as JSON, that shape the first page. */
function pageBody({ query, body, table }: TableRequest): TableRequest['body'] {
  const written = new URLSearchParams(query)
  return Object.fromEntries(
    pageKeys(table).flatMap((key) => {
      const value = ownValue(body, key) ?? parseLoosely(written.get(key))
      return value === null ? [] : [[key, value]]
    }),
  )
}

/** A text that is no JSON is meant as it stands. */
function parseLoosely(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return text
  }
}
