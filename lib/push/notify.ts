import type { TransactionSession } from '../db/database-session.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { NotificationLevel } from './notification.ts'

/** A notification of an action for any subject. It is listed, and not pushed. */
export interface LeftNotification {
  /** The `sub` of the recipient. */
  readonly subject: string
  readonly title: Bilingual
  readonly body: Bilingual
  /** Default: `info`. */
  readonly level?: NotificationLevel
  readonly data?: Readonly<Record<string, unknown>>
}

/** Stores notifications for other subjects, in the transaction of the action's `db`. */
export async function notify(db: TransactionSession, entries: readonly LeftNotification[]): Promise<void> {
  if (entries.length === 0) return
  // Loaded on demand, because every function loads the tables and few of them notify.
  const { notifications } = await import('../db/service-tables.ts')
  await db
    .insert(notifications)
    .values(entries.map(({ level = 'info', data = {}, ...texts }) => ({ level, data, ...texts })))
}
