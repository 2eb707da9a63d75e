import { hasSameRights, type Identity, type StoredIdentity } from '../auth/identity.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { allReadable, readFaults, validationFailed } from '../errors/request-error.ts'
import { notificationEntry, notificationFields, toNotification } from '../push/notification.ts'
import { notificationWithoutRows } from '../push/without-rows.ts'
import { readBoolean } from '../query/read-value.ts'
import type { CallerRequest, Payload } from './table-request.ts'

const defaultLimit = 50
const maxPerPage = 100

// The notification of a job was made for the caller of the job.
const owner = `coalesce(identity, case when dedupe_key like 'job:%' then (select job.identity
  from table_control.jobs job where job.id = substr(dedupe_key, 5)::uuid and job.subject = $1) end)`

/**
 * The statement of one page. After `subject = $1`, the planner reads the notifications of all callers where it expects
 * many of this one among them.
 */
export const pageText = (unreadOnly: boolean) => `
  select ${notificationFields}, ${owner}, dedupe_key like 'job:%' from table_control.notifications
  where subject between $1 and $1 and id > $2 and id < $3${unreadOnly ? ' and read_at is null' : ''}
  order by subject desc, id desc limit $4`

/** Counts the unread notifications of `$1`. */
export const unreadCount =
  'select count(*)::integer from table_control.notifications where subject = $1 and read_at is null'

/**
 * Returns the caller's notifications, the newest first: those newer than `after`, for a client that was away, or older
 * than `before`, for the next page. `next` is the `before` of the next page, null on the last.
 */
export async function listNotifications(request: CallerRequest): Promise<Payload> {
  const { database, identity, language } = request
  const { after, before, limit, unreadOnly } = readListing(request.query)
  const [rows, [count]] = await Promise.all([
    database.read(pageText(unreadOnly), [identity.subject, after, before, limit + 1]),
    database.read(unreadCount, [identity.subject]),
  ])
  const notifications = rows.slice(0, limit).map((row) => {
    const notification = toNotification(row)
    if (!isRestricted(identity, row.slice(-2))) return notification
    return { ...notification, data: notificationWithoutRows(notification.data) }
  })
  return {
    items: notifications.map((notification) => notificationEntry(notification, language)),
    unread_count: count?.[0],
    next: rows.length > limit ? notifications.at(-1)?.id : null,
  }
}

/** Whether a notification was made for a caller with other rights. A job that is no longer kept cannot say for whom. */
function isRestricted(caller: Identity, [owner, isOfJob]: readonly unknown[]): boolean {
  if (owner === null) return isOfJob === true
  return !hasSameRights(caller, owner as StoredIdentity)
}

function readListing(query: string) {
  const given = new URLSearchParams(query)
  const whole = (name: string, fallback: number, min: number, max: number) => (): number => {
    const text = given.get(name) ?? ''
    if (text === '') return fallback
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw validationFailed({ [name]: [fieldFault('not_whole', { min, max })] })
  }
  const [after, before, limit, unreadOnly] = allReadable([
    whole('after', 0, 0, Number.MAX_SAFE_INTEGER),
    whole('before', Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER),
    whole('limit', defaultLimit, 1, maxPerPage),
    () => readUnread(given.get('unread') ?? ''),
  ])
  return { after, before, limit, unreadOnly }
}

function readUnread(text: string): boolean {
  if (text === '') return false
  try {
    return readBoolean(text)
  } catch (error) {
    throw validationFailed({ unread: readFaults(error) })
  }
}
