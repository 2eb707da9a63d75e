import { findAction } from '../actions/find-action.ts'
import { planFields } from '../actions/form-input.ts'
import { assertKnownParams, assertNoNearMiss, assertNoOtherRowList, assertNoVersions } from '../actions/known-keys.ts'
import { isWork } from '../actions/run-chunk.ts'
import { RequestError } from '../errors/request-error.ts'
import { formKeys } from '../table/action-entry.ts'
import { offeredBulkActions } from '../table/view.ts'
import { auditFailure, withFirstResponse } from './action-transaction.ts'
import { exportRows } from './export-rows.ts'
import { assertNoPlan, readPlanned } from './open-plan.ts'
import { isReply, type Reply } from './reply.ts'
import { runBulkWork } from './run-bulk-work.ts'
import type { Payload, TableRequest } from './table-request.ts'

/**
 * Runs an action of the toolbar on the selected rows, or on all that the filters select, and answers by
 * its response type: at once, or with a job that delivers by e-mail, as a notification or over the WebSocket.
 */
export async function bulkTableAction(request: TableRequest): Promise<Payload | Reply> {
  const { view, context, path } = request
  const offered = offeredBulkActions(view, context.hasMail)
  const { key, definition } = findAction(view.bulkActions, path['action'], offered)
  const run = (asked: TableRequest) =>
    isWork(definition) ? runBulkWork(asked, { key, definition }) : exportRows(asked, { key, definition })
  const kind = isWork(definition) ? 'bulk' : 'export'
  const namesView = usesView(request.body, formKeys(definition))
  return auditFailure(request, key, kind, async () => {
    if (definition.response === 'email' && !context.hasMail) throw new RequestError('mail_off')
    assertNoNearMiss(request.body, formKeys(definition))
    assertNoOtherRowList(request.body, definition)
    assertNoVersions(request, formKeys(definition))
    assertKnownParams(view, request)
    if (!isWork(definition)) assertNoPlan(request.body, planFields(definition))
    const planned = isWork(definition)
      ? await readPlanned(request, { key, kind: 'bulk' }, planFields(definition))
      : request
    if (isReply(planned)) return planned
    if (!namesView) return run(planned)
    const { applyViewToAction } = await import('./use-saved-views.ts')
    // A repeated request gets its first response, even if the view is gone.
    const asked = await withFirstResponse(request, key, kind, () => applyViewToAction(planned, definition, kind))
    return isReply(asked) ? asked : run(asked)
  })
}

/** A revision alone counts: without the view that it belongs to, the action would run on every row. */
function usesView(body: TableRequest['body'], formFields: readonly string[]): boolean {
  if (formFields.includes('view')) return false
  return (
    Object.hasOwn(body, 'view') || (!formFields.includes('view_revision') && (body['view_revision'] ?? null) !== null)
  )
}
