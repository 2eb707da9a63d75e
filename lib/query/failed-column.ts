import type { Database } from '../db/database.ts'
import { findComputeError } from '../db/database-error.ts'
import { createStatement, type Statement } from '../db/statement.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Bilingual, type Label, translate } from '../i18n/language.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import { addFacts, type Invocation } from '../telemetry/invocation.ts'
import { fieldText, joinText, scopeText, whereText } from './page-statement.ts'

/** The time in which a failing column is looked for. */
const maxSearchMs = 2_000

interface FailedOn {
  readonly database: Pick<Database, 'readWithin'>
  readonly invocation?: Invocation | undefined
}

/**
 * Returns the error to throw in place of one that a statement on a table has met. If a value of the table cannot be
 * computed in the same way, it is an `internal_error` that names its column; else the error is unchanged.
 */
export async function nameFailedColumn(failedOn: FailedOn, opened: OpenedTable, thrown: unknown): Promise<unknown> {
  const cause = findComputeError(thrown)
  if (cause === undefined || isNamed(thrown)) return thrown
  const failed = await findFailedColumn(failedOn, opened, cause.code)
  if (failed === undefined) return thrown
  addFacts(failedOn.invocation, { column: failed.key })
  return new RequestError('internal_error', {}, { text: describeColumn(failed.label), cause })
}

const isNamed = (error: unknown): boolean => error instanceof RequestError && error.code === 'internal_error'

/** Computes each computed source of the view alone. Returns the first that fails with `code`. */
async function findFailedColumn({ database }: FailedOn, opened: OpenedTable, code: string) {
  const { view, context } = opened
  const candidates = listComputed(view)
  const until = performance.now() + maxSearchMs
  const fails = async (value: (statement: Statement) => string, read: readonly Source[] = []): Promise<boolean> => {
    const statement = createStatement()
    const rows = `${view.table.text}${joinText(read)}${whereText(scopeText(statement, opened))}`
    const text = `select count(${value(statement)}) from ${rows}`
    const shareMs = Math.max(1, Math.round(until - performance.now()))
    try {
      await database.readWithin(shareMs, text, statement.parameters)
      return false
    } catch (error) {
      return findComputeError(error)?.code === code
    }
  }
  // A scope that fails would make each column fail.
  if (candidates.length === 0 || (await fails(() => '*'))) return undefined
  for (const { source, label, datePattern } of candidates)
    if (await fails((to) => fieldText(to, { source, datePattern }, context.timeZone), [source]))
      return { key: source.key, label }
  return undefined
}

/** Lists the computed sources and the date cells that the caller knows of, with their labels. */
function listComputed({ table, columns, filters, sortables }: TableView) {
  const cells = columns.map(({ source, datePattern, definition: { label } }) => ({ source, datePattern, label }))
  const filtered = [...filters.values()].map(({ source, definition: { label } }) => ({ source, label }))
  const sorted = [...sortables].map((key) => ({ source: table.sources.get(key), label: key }))
  return [...cells, ...filtered, ...sorted].flatMap(({ source, label, ...cell }) => {
    const datePattern = 'datePattern' in cell ? cell.datePattern : undefined
    return source?.kind === 'unknown' || (source && datePattern) ? [{ source, label, datePattern }] : []
  })
}

const describeColumn = (label: Label): Bilingual => ({
  en: `"${translate(label, 'en')}" cannot be computed for one of the rows; leave it out of the request, or report it`,
  ar: `تعذّر حساب «${translate(label, 'ar')}» لأحد الصفوف؛ أعد الطلب بدونه أو أبلغ عن ذلك`,
})
