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

type NotificationText = Omit<NewNotification, 'subject'>

/**
 * Runs an action's work and stores its notification in one transaction. Returns the notification and pushes it to the caller's
 * open sockets.
 */
export async function runAndNotify(
  request: TableRequest,
  action: string,
  kind: AuditEntry['kind'],
  work: (running: ActionTransaction) => Promise<{ readonly notification: NotificationText; readonly answer?: Payload }>,
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
