import { missingIds } from '../actions/bulk-selection.ts'
import { rowFailure } from '../actions/row-outcome.ts'
import { runChunk } from '../actions/run-chunk.ts'
import { readRecipients } from '../mail/recipients.ts'
import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import { maxInstantRows } from '../table/compile-actions.ts'
import { assertExpectedCount } from './action-conditions.ts'
import { inActionTransaction } from './action-transaction.ts'
import { assertSelectionUnmoved } from './assert-selection.ts'
import { type BulkRun, listKeys, type WorkAction } from './bulk-work.ts'
import { createPlan } from './create-plan.ts'
import type { Reply } from './reply.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** Plans a bulk action on the selected rows, at most 3,000 of them. */
export const planBulkWork = (
  request: TableRequest,
  { key, definition }: WorkAction,
  { selecting, plan, conditions, input }: BulkRun,
): Promise<Payload | Reply> =>
  inActionTransaction(request, key, 'bulk', async ({ transaction }) => {
    if (definition.response === 'email')
      readRecipients(ownValue(request.body, 'emails'), request.identity, request.config)
    const maxRows = Math.min(definition.maxRows ?? maxInstantRows, maxInstantRows)
    const keys = await listKeys(request, transaction, plan, maxRows)
    assertExpectedCount(conditions, keys.length)
    await assertSelectionUnmoved(selecting, transaction.run)
    const missing = missingIds(request.view, selecting.body, keys)
    const preview = async (some: readonly string[]) => {
      const { failed } = await runChunk(transaction, request, definition, some, input)
      const refused = new Set(failed.map(([one]) => one))
      return some.filter((one) => !refused.has(one))
    }
    return createPlan(request, transaction, {
      ...{ key, kind: 'bulk', keys },
      ...{ formKeys: formKeys(definition), isOpen: hasOpenForm(definition) },
      refused: missing.map((id) => [id, rowFailure('row_not_found')]),
      preview: definition.preview === true ? preview : undefined,
    })
  })
