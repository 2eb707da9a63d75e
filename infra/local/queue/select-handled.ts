import type { SQSEvent } from 'aws-lambda'
import * as z from 'zod'

const failures = z.array(z.object({ itemIdentifier: z.string() }))
const batchResult = z.looseObject({ batchItemFailures: failures.nullish() }).nullish()

/**
 * Which records of a batch Lambda deletes after what a function with ReportBatchItemFailures returned: all but the
 * reported ones, and none when the response is malformed or names a message that is not in the batch.
 */
export function selectHandled(records: SQSEvent['Records'], result: unknown): SQSEvent['Records'] {
  const parsed = batchResult.safeParse(result)
  if (!parsed.success) return []
  const failed = new Set((parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier))
  const known = new Set(records.map(({ messageId }) => messageId))
  if ([...failed].some((id) => !known.has(id))) return []
  return records.filter(({ messageId }) => !failed.has(messageId))
}
