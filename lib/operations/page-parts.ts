import type { Database } from '../db/database.ts'
import { ConnectionError, findComputeError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Page } from '../query/page.ts'
import type { AskedRows, Plan } from '../query/plan.ts'
import { writeSelectionToken } from '../query/selection-token.ts'
import { planAggregates, readAggregates } from '../rows/aggregates.ts'
import { type Bindings, loadBindings } from '../rows/bindings.ts'
import { explainRow, explainRows, readExplain } from '../rows/explain.ts'
import { type Facets, planFacets, readFacets } from '../rows/facets.ts'
import { planGroups, prepareGroups } from '../rows/groups.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import { log } from '../telemetry/log.ts'
import { isEmpty } from './item-context.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** Writes the parts beside a page; an explanation is read only now, because it may depend on the page. */
type WritePageParts = (requested: { readonly number: number }, page: Pick<Page, 'rows' | 'total'>) => Promise<Payload>

/**
 * Prepares the parts of one page beside its rows. Throws `validation_failed` for what does not fit the plan. The
 * function that it returns reads the parts at once, and returns what writes them into the response.
 */
export type PreparePageParts = (plan: Plan) => (loading?: Promise<Bindings>) => Promise<WritePageParts>

/**
 * Plans `aggregates`, `facets`, `group_by` and the token of the selection. Throws `validation_failed` naming what does
 * not fit.
 */
export function planPageParts(request: TableRequest, asked: AskedRows): PreparePageParts {
  const { view, body, database, config, context } = request
  const aggregates = planAggregates(view, ownValue(body, 'aggregates') ?? [])
  const facets = planFacets(view, ownValue(body, 'facets') ?? [])
  const explain = planExplain(request, asked)
  const groupBy = ownValue(body, 'group_by')
  const { timeZone } = asked.extensions ?? context
  const page = ownValue(body, 'groups_page') ?? undefined
  const groups = isEmpty(groupBy) ? undefined : planGroups(request, { groupBy, page, timeZone })
  const included = ownValue(body, 'include')
  const wantsToken = Array.isArray(included) && included.includes('selection')
  const selecting = asked.extensions ?? { now: Date.now(), resolved: [] }
  return (plan) => {
    const grouped = groups && prepareGroups(request, plan, groups, aggregates, config.SERVICE_SECRET)
    return async (loading) => {
      let bindings = loading
      const bound = () => (bindings ??= loadBindings(view, database, plan.applied, context))
      const [totals, counted, read, token] = await Promise.all([
        aggregates.length === 0
          ? undefined
          : catchImpossible(request, readAggregates(database, request, plan, aggregates)),
        readPossibleFacets(request, facets, (reader, some) => readFacets(reader, request, asked, some, bound)),
        grouped && catchImpossible(request, grouped(database)),
        wantsToken &&
          catchImpossible(request, writeSelectionToken(database, request, plan, selecting, config.SERVICE_SECRET)),
      ])
      const partial = [
        ...(aggregates.length > 0 && totals === undefined ? ['aggregates'] : []),
        ...(facets.some(({ name }) => counted?.[name] === undefined) ? ['facets'] : []),
        ...(grouped !== undefined && read === undefined ? ['groups'] : []),
        ...(wantsToken && token === undefined ? ['selection'] : []),
      ]
      return async ({ number }, page) => {
        const explained = await explain({
          number,
          hasRows: page.rows.length > 0 || (page.total.total > 0 && number === 1),
        })
        if (explained['partial'] !== undefined) partial.push('explain')
        return {
          ...(totals !== undefined && { aggregates: totals }),
          ...(counted !== undefined && { facets: counted }),
          ...read,
          ...(explained['explain'] !== undefined && { explain: explained['explain'] }),
          ...(typeof token === 'string' && { selection_token: token }),
          ...(partial.length > 0 && { partial }),
        }
      }
    }
  }
}

/** Returns `undefined` for what takes too long, or holds a value that the database cannot compute. */
async function catchImpossible<T>({ table, invocation }: Named, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isImpossible(error)) throw error
    const code = findComputeError(error)?.code
    if (code !== undefined)
      log('warn', 'a part of a page is left out, because one of its values cannot be computed', {
        request_id: invocation?.requestId,
        table: table.name,
        code,
      })
    return undefined
  }
}

/** The names of a request in the log. */
type Named = Pick<TableRequest, 'table' | 'invocation'>

/** Whether the server stopped a statement, or cannot compute one of its values. */
const isStopped = (error: unknown): boolean =>
  findComputeError(error) !== undefined ||
  (error instanceof RequestError && (error.code === 'timed_out' || error.fields?.['body'] !== undefined))

/**
 * Reads all facets by one statement. If the server stops or refuses it, each is read alone, in half of a statement's
 * time for all of them. Returns `undefined` if there are none.
 */
async function readPossibleFacets(
  { database, config, ...named }: Pick<TableRequest, 'database' | 'config'> & Named,
  facets: readonly CompiledFilter[],
  read: (reader: Database, facets: readonly CompiledFilter[]) => Promise<Facets>,
): Promise<Facets | undefined> {
  if (facets.length === 0) return undefined
  try {
    return await read(database, facets)
  } catch (error) {
    if (facets.length === 1 || !isStopped(error)) return catchImpossible(named, Promise.reject(error))
  }
  const found: Facets[] = []
  const until = performance.now() + config.DATABASE_STATEMENT_TIMEOUT_MS / 2
  for (const [index, facet] of facets.entries()) {
    const share = Math.max(1, Math.floor((until - performance.now()) / (facets.length - index)))
    const reader: Database = {
      ...database,
      read: async (...statement) => {
        const rows = await database.readWithin(share, ...statement)
        if (rows === undefined) throw new RequestError('timed_out')
        return rows
      },
    }
    found.push((await catchImpossible(named, read(reader, [facet]))) ?? {})
  }
  const all: Facets = Object.assign({}, ...found)
  return Object.keys(all).length === 0 ? undefined : all
}

/** The page beside which an explanation stands. */
interface ExplainedPage {
  readonly number: number
  /** Whether it has rows, or the total that stands alone is not zero. */
  readonly hasRows: boolean
}

/**
 * Reads `explain`. The function that it returns explains the rows of a page; it asks the database only where that is
 * wanted.
 */
function planExplain(request: TableRequest, asked: AskedRows): (page: ExplainedPage) => Promise<Payload> {
  const { database, body } = request
  const wanted = readExplain(ownValue(body, 'explain'))
  return async ({ number, hasRows }) => {
    if (wanted === undefined) return {}
    // A page beyond the end has no rows because of its number, so nothing else explains that.
    if (typeof wanted !== 'object' && (hasRows ? wanted === 'auto' : number > 1)) return {}
    try {
      const explained =
        typeof wanted === 'object'
          ? explainRow(database, request, asked, wanted.rowId)
          : explainRows(database, request, asked)
      return { explain: await explained }
    } catch (error) {
      if (isImpossible(error)) return { partial: ['explain'] }
      throw error
    }
  }
}

/**
 * Whether a part takes too long or cannot be computed. An explanation tries each restriction on its own, also on rows
 * from which another one keeps a computed value that fails.
 */
const isImpossible = (error: unknown): boolean => isStopped(error) || isOverdue(error)

/**
 * Whether a part of a page waited behind others for as long as the database may be silent. Says nothing of the page,
 * which was read before it.
 */
const isOverdue = (error: unknown): boolean =>
  error instanceof RequestError &&
  error.cause instanceof ConnectionError &&
  (error.cause.code === 'DEADLINE' || error.cause.code === 'NONE_FREE')
