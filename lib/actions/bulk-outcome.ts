import { RequestError } from '../errors/request-error.ts'
import { toRowId } from '../rows/row-id.ts'
import { storedJson } from '../rows/stored-json.ts'
import type { BulkConclusion, BulkOutcome } from '../table/action-definition.ts'
import type { AnyContext } from '../table/context.ts'
import type { TableView } from '../table/view.ts'
import { countsMessage, type RowFailure, type RowResult, rowResult } from './row-outcome.ts'
import type { BulkWork, ChunkOutcome } from './run-chunk.ts'

/** The outcome of a whole run, with the rows that failed by the text of their keys. */
export interface RunOutcome {
  readonly outcome: BulkOutcome
  readonly failed: readonly (readonly [key: string, failure: RowFailure])[]
}

/** Adds up the chunks of a run, in their order. */
export function runOutcome(chunks: readonly ChunkOutcome[]): RunOutcome {
  const failed = chunks.flatMap((chunk) => chunk.failed)
  const succeeded = chunks.reduce((sum, chunk) => sum + chunk.succeeded, 0)
  const data = chunks.map((chunk) => chunk.data).filter((value) => value !== undefined && value !== null)
  return { outcome: { selected: succeeded + failed.length, succeeded, failed: failed.length, data }, failed }
}

/**
 * Throws the failure of the first failed row if no row of a run succeeded, or if the action is all or nothing.
 * Does nothing if no row failed.
 */
export function assertRunDone({ atomic }: BulkWork, { outcome, failed }: RunOutcome): void {
  const first = failed[0]?.[1]
  if (first === undefined || (outcome.succeeded > 0 && atomic !== true)) return
  const counts = { succeeded: 0, failed: outcome.failed }
  throw new RequestError('action_failed', {}, { text: first.text, code: first.code, payload: { counts } })
}

/** Lists rows that failed, each under its id as items have it. */
export const listFailures = ({ table }: TableView, { failed }: Pick<RunOutcome, 'failed'>): readonly RowResult[] =>
  failed.map(([key, failure]) => rowResult(toRowId(table.key, key), failure))

/**
 * Returns the conclusion of the action itself as JSON can hold it, with the counts as the message where it has none of
 * its own.
 */
export async function concludeRun(
  { conclude }: BulkWork,
  { outcome }: RunOutcome,
  context: AnyContext,
): Promise<BulkConclusion & Required<Pick<BulkConclusion, 'message'>>> {
  const { file, ...texts } = (await conclude?.(outcome, context)) ?? {}
  return { message: countsMessage(outcome), ...JSON.parse(storedJson(texts)), ...(file && { file }) }
}
