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
  const [{ notifications }, { storedJson }] = await Promise.all([
    import('../db/service-tables.ts'),
    import('../rows/stored-json.ts'),
  ])
  const values = entries.map(({ subject, level = 'info', title, body, data = {} }) => ({
    ...JSON.parse(storedJson({ title, body, data })),
    subject,
    level,
  }))
  await db.insert(notifications).values(values)
}
