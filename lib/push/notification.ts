import type { Transaction } from '../db/transaction.ts'
import { type Bilingual, type Label, type Language, textOf } from '../i18n/language.ts'

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

export interface NewNotification {
  readonly subject: string
  readonly title: Label
  readonly body: Label
  /** `info` when left out. */
  readonly level?: NotificationLevel
  readonly data?: Readonly<Record<string, unknown>>
  /** The second one with the same key and subject is the first one, so that work which is done again notifies once. */
  readonly dedupeKey?: string
}

/** The most bytes that title, body and data may have together as JSON. */
const mostBytes = 16_384

const insertion = `
  insert into table_control.notifications (subject, title, body, level, data, dedupe_key)
  values ($1, $2, $3, $4, $5, $6) on conflict (subject, dedupe_key) do nothing returning ${notificationFields}`

const first = `select ${notificationFields} from table_control.notifications where subject = $1 and dedupe_key = $2`

/**
 * Stores a notification by `run` of the transaction that holds its cause, so that there are both or neither. Returns the
 * first one for a repeated key. The title is clipped at 200 characters, the body at 1,000; data of more than about 9 KB throws.
 */
export async function createNotification(
  run: Transaction['run'],
  { subject, title, body, level = 'info', data = {}, dedupeKey }: NewNotification,
): Promise<StoredNotification> {
  const texts = [bilingual(title, longestTitle), bilingual(body, longestBody), data].map((value) =>
    JSON.stringify(value),
  )
  if (Buffer.byteLength(texts.join('')) > mostBytes) throw new Error(`a notification is larger than ${mostBytes} bytes`)
  const [titleText = '', bodyText = '', dataText = ''] = texts
  const parameters = [subject, titleText, bodyText, level, dataText, dedupeKey ?? null]
  const [stored] = await run(insertion, parameters)
  if (stored !== undefined) return notificationOf(stored)
  const [earlier] = await run(first, [subject, dedupeKey ?? null])
  if (earlier === undefined) throw new Error('a notification was removed while it was stored')
  return notificationOf(earlier)
}

const longestTitle = 200
const longestBody = 1_000

/** Clipped, because work that has been done must not fail for being told at length. */
const bilingual = (label: Label, most: number): Bilingual => ({
  en: clipped(textOf(label, 'en'), most),
  ar: clipped(textOf(label, 'ar'), most),
})

const clipped = (text: string, most: number): string =>
  (text.length > most ? `${text.slice(0, most - 1)}…` : text).replaceAll('\0', '').toWellFormed()
