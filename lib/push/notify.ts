import type { TransactionSession } from '../db/database-session.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { NotificationLevel } from './notification.ts'

/** A notification that an action leaves for somebody, who finds it in the list of notifications. */
export interface LeftNotification {
  /** The `sub` of whoever it is for. */
  readonly subject: string
  readonly title: Bilingual
  readonly body: Bilingual
  /** `info` when left out. */
  readonly level?: NotificationLevel
  readonly data?: Readonly<Record<string, unknown>>
}

/** Leaves notifications for others, in the transaction of the action whose `db` it is given. */
export async function notify(db: TransactionSession, left: readonly LeftNotification[]): Promise<void> {
  if (left.length === 0) return
  // On demand: a table that may leave notifications is loaded by every function.
  const { notifications } = await import('../db/service-tables.ts')
  await db
    .insert(notifications)
    .values(left.map(({ level = 'info', data = {}, ...told }) => ({ level, data, ...told })))
}
