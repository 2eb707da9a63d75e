import type { AuditEntry } from '../actions/audit.ts'
import {
  createNotification,
  type NewNotification,
  notificationEntry,
  type StoredNotification,
} from '../push/notification.ts'
import { pushNotification } from '../push/push.ts'
import { type ActionTransaction, inActionTransaction } from './action-transaction.ts'
import type { Reply } from './reply.ts'
import type { Payload, TableRequest } from './table-request.ts'

type Told = Omit<NewNotification, 'subject'>

/**
 * Does an action's work and stores the notification that it results in, in one transaction; answers with it, and shows it on
 * the caller's open sockets.
 */
export async function notified(
  request: TableRequest,
  action: string,
  kind: AuditEntry['kind'],
  work: (running: ActionTransaction) => Promise<{ readonly notification: Told; readonly answer?: Payload }>,
): Promise<Payload | Reply> {
  let stored: StoredNotification | undefined
  const outcome = await inActionTransaction(request, action, kind, async (running) => {
    const { notification, answer } = await work(running)
    stored = await createNotification(running.transaction.run, { ...notification, subject: request.identity.subject })
    return { ...answer, notification: notificationEntry(stored, request.language) }
  })
  if (stored !== undefined) await pushNotification(request, stored, request.language)
  return outcome
}
