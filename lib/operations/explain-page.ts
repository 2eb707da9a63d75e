import { RequestError } from '../errors/request-error.ts'
import type { AskedRows } from '../query/plan.ts'
import { explainRow, explainRows, readExplain } from '../rows/explain.ts'
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
    if (typeof wanted === 'object') return { explain: await explainRow(database, request, asked, wanted.rowId) }
    // Beyond the end, rows are missing because of the page's number.
    if (hasRows ? wanted === 'auto' : number > 1) return {}
    try {
      return { explain: await explainRows(database, request, asked) }
    } catch (error) {
      if (error instanceof RequestError && error.code === 'timed_out') return { partial: ['explain'] }
      throw error
    }
  }
}
