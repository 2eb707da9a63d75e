import { type Counts, type RowFailure, type RowResult, rowFailure, rowResult } from '../actions/row-outcome.ts'
import { RequestError } from '../errors/request-error.ts'
import type { AskedRow } from '../rows/asked-row.ts'

export interface RowResults {
  readonly results: readonly RowResult[]
  readonly counts: Counts
}

/** Only the undo of an import has more rows. */
const maxResults = 1_000

/**
 * Returns one result for each row, in the order of the ids; of more than 1,000 rows, only the first 1,000 that failed.
 */
export function createOutcome(rows: readonly AskedRow[], failures: ReadonlyMap<string, RowFailure>): RowResults {
  const results = rows.map(({ id, key }) =>
    rowResult(id, key === undefined ? rowFailure('row_not_found') : failures.get(key)),
  )
  const succeeded = results.filter(({ success }) => success).length
  const shown = results.length <= maxResults ? results : results.filter(({ success }) => !success).slice(0, maxResults)
  return { results: shown, counts: { succeeded, failed: results.length - succeeded } }
}

/**
 * Throws the failure of the first failed row if no row succeeded, or if any row failed and the action is all or
 * nothing.
 */
export function assertDone(atomic: boolean, { results, counts }: RowResults): void {
  if (counts.succeeded > 0 && !(atomic && counts.failed > 0)) return
  const first = results.find(({ success }) => !success)
  const [en = '', ar = ''] = first?.errors ?? []
  const code = first?.code ?? 'action_failed'
  const payload = atomic
    ? { results: results.filter(({ success }) => !success), counts: { ...counts, succeeded: 0 } }
    : { results, counts }
  throw new RequestError('action_failed', {}, { text: { en, ar }, code, payload })
}
