import { isServerError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import type { AskedRows } from '../query/plan.ts'
import { explainRow, explainRows, readExplain } from '../rows/explain.ts'
import { isOverdue } from './is-overdue.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** The page beside which an explanation stands. */
interface ExplainedPage {
  readonly number: number
  /** Whether it has rows, or the total that stands alone is not zero. */
  readonly hasRows: boolean
}

/** Reads `explain`. The function that it returns explains the rows of a page; it asks the database only where that is wanted. */
export function planExplain(request: TableRequest, asked: AskedRows): (page: ExplainedPage) => Promise<Payload> {
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
 * Whether an explanation takes too long or cannot be computed. Each restriction is tried on its own, also on rows from which another
 * one keeps a computed value that fails, such as a division by zero.
 */
const isImpossible = (error: unknown): boolean =>
  error instanceof RequestError
    ? isOverdue(error) || error.fields?.['body'] !== undefined
    : isServerError(error) && error.code.startsWith('22')
