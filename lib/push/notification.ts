import { plainValue, type StoredIdentity } from '../auth/identity.ts'
import { isoMoment } from '../db/iso-moment.ts'
import type { Run } from '../db/transaction.ts'
import { type Bilingual, type Label, type Language, translate } from '../i18n/language.ts'
import { storedJson } from '../rows/stored-json.ts'

export type NotificationLevel = 'info' | 'success' | 'warning' | 'danger'

/** A stored notification; times are ISO 8601 in UTC. */
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

/** The columns that `toNotification` reads. */
export const notificationFields = `id, subject, title, body, level, data, ${isoMoment('created_at')}, ${isoMoment('read_at')}`

/** Reads a row of `notificationFields`. */
export function toNotification(row: readonly unknown[]): StoredNotification {
  const [id, subject, title, body, level, data, created_at, read_at] = row
  // The constraints of the table's columns vouch for these types.
  return { id: Number(id), subject, title, body, level, data, created_at, read_at } as StoredNotification
}

/** Returns a notification as clients get it, in one language. */
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
  /** Default: `info`. */
  readonly level?: NotificationLevel
  readonly data?: Readonly<Record<string, unknown>>
  /** A second notification with this key and subject is not stored, so that repeated work notifies once. */
  readonly dedupeKey?: string
  /** The caller whose request made it: callers with other rights see no rows in it, and nothing of an author's. */
  readonly identity?: StoredIdentity
  /** The table of the action that made it. */
  readonly table?: string
}

/** The maximum size of title, body and data together, as JSON. */
const maxBytes = 16_384

const insertion = `
  insert into table_control.notifications (subject, title, body, level, data, dedupe_key, identity, table_name)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (subject, dedupe_key) do nothing returning ${notificationFields}`

const first = `select ${notificationFields} from table_control.notifications where subject = $1 and dedupe_key = $2`

/**
 * Stores a notification in the transaction of its cause. Returns the first one for a repeated key. Clips the title at
 * 200 characters and the body at 1,000. Throws if title, body and data together are more than 16 KB of JSON, which
 * leaves about 9 KB for the data.
 */
export async function createNotification(
  run: Run,
  { subject, title, body, level = 'info', data = {}, dedupeKey, identity, table }: NewNotification,
): Promise<StoredNotification> {
  const texts = [clipLabel(title, maxTitleLength), clipLabel(body, maxBodyLength), data].map(storedJson)
  if (Buffer.byteLength(texts.join('')) > maxBytes)
    throw new Error(`a notification is larger than ${maxBytes} bytes of JSON; shorten its data or store a link to it`)
  const [titleText = '', bodyText = '', dataText = ''] = texts
  const parameters = [
    subject,
    titleText,
    bodyText,
    level,
    dataText,
    dedupeKey ?? null,
    identity === undefined ? null : identityText(identity),
    table ?? null,
  ]
  const [stored] = await run(insertion, parameters)
  if (stored !== undefined) return toNotification(stored)
  const [earlier] = await run(first, [subject, dedupeKey ?? null])
  if (earlier === undefined) throw new Error('a notification was removed while it was stored')
  return toNotification(earlier)
}

/** Keeps what rights are compared by, without the address. */
const identityText = ({ subject, claims }: StoredIdentity): string => JSON.stringify({ subject, claims }, plainValue)

const maxTitleLength = 200
const maxBodyLength = 1_000

/** Clips instead of throwing, because finished work must not fail for a long text. */
const clipLabel = (label: Label, maxLength: number): Bilingual => ({
  en: clip(translate(label, 'en'), maxLength),
  ar: clip(translate(label, 'ar'), maxLength),
})

const clip = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
