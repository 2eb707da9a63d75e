import type { Language } from '../i18n/language.ts'
import { notificationEntry, type StoredNotification } from './notification.ts'
import { type PushCounts, push } from './push.ts'
import type { PushService } from './push-service.ts'

/**
 * Shows a stored notification on the open sockets of its subject, in the language of the request that caused it. To be
 * called after the commit. Never rejects.
 */
export const pushNotification = (
  service: PushService,
  notification: StoredNotification,
  language: Language,
): Promise<PushCounts> =>
  push(service, notification.subject, {
    event: 'notification',
    channel: 'notifications',
    id: notification.id,
    seq: notification.id,
    data: notificationEntry(notification, language),
  })
