import type { Bilingual, Language } from '../i18n/language.ts'

export type NotificationLevel = 'info' | 'success' | 'warning' | 'danger'

/** A notification as it is kept; times are ISO 8601 in UTC. */
export interface StoredNotification {
  readonly id: number
  readonly subject: string
  readonly title: Bilingual
  readonly body: Bilingual
  readonly level: NotificationLevel
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
  readonly read_at: string | null
}

const moment = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What to select of the table for `notificationOf`. */
export const notificationFields = `id, subject, title, body, level, data, ${moment('created_at')}, ${moment('read_at')}`

/** A row of `notificationFields`. */
export function notificationOf(row: readonly unknown[]): StoredNotification {
  const [id, subject, title, body, level, data, created_at, read_at] = row
  // The table's own constraints say what its columns hold.
  return { id: Number(id), subject, title, body, level, data, created_at, read_at } as StoredNotification
}

/** A notification as clients see it, in one language. */
export const notificationEntry = (notification: StoredNotification, language: Language) => ({
  id: notification.id,
  title: notification.title[language],
  body: notification.body[language],
  level: notification.level,
  created_at: notification.created_at,
  read_at: notification.read_at,
  data: notification.data,
})
