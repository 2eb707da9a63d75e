import { setTimeout as sleep } from 'node:timers/promises'
import { hasSameRights, type StoredIdentity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Language } from '../i18n/language.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { errorName, log } from '../telemetry/log.ts'
import { notificationEntry, type StoredNotification } from './notification.ts'
import { type Post, type PostOutcome, postTo } from './post-to-connection.ts'
import { type Link, messageText, type PushData, type PushMessage } from './push-message.ts'
import { forgetSockets, type OpenSocket, openSockets } from './sockets.ts'
import { notificationWithoutRows } from './without-rows.ts'

/** The number of sockets that received a message, that were gone and are removed, and that did not receive it. */
export interface PushCounts {
  readonly delivered: number
  readonly gone: number
  readonly failed: number
}

/** The whole push; posting ends before, so that what was learnt can still be written down. */
const maxPushMs = 5_000
const maxPostMs = 4_000

const noDeliveries: PushCounts = { delivered: 0, gone: 0, failed: 0 }

export interface PushOptions {
  readonly link?: Link | undefined
  /** The caller for whose rights the message was made, and its data for sockets of the subject with other rights. */
  readonly restricted?: { readonly to: StoredIdentity; readonly otherwise: PushData } | undefined
}

/**
 * Sends a message to every open socket of an identity. Never rejects and takes at most five seconds: a message is only
 * a hint, its truth is in the database. What one call sends arrives before what a call after its end sends.
 */
export async function push(
  service: PushService,
  subject: string,
  message: PushMessage,
  options: PushOptions = {},
): Promise<PushCounts> {
  const endpoint = service.config.SOCKET_ENDPOINT
  if (endpoint === undefined) return noDeliveries
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => deadline.reject(new Error('the push took too long')), maxPushMs)
  try {
    return await Promise.race([pushAll(service, endpoint, subject, message, options), deadline.promise])
  } catch (error) {
    warn('a message was not pushed; clients read it with their next request', message, [
      { outcome: 'failed', cause: errorName(error) },
    ])
    return noDeliveries
  } finally {
    clearTimeout(timer)
  }
}

async function pushAll(
  { database, invocation }: PushService,
  endpoint: string,
  subject: string,
  message: PushMessage,
  { link, restricted }: PushOptions,
): Promise<PushCounts> {
  const signal = AbortSignal.timeout(maxPostMs)
  const sockets = await openSockets(database, subject)
  if (sockets.length === 0) return noDeliveries
  const isRestricted = ({ identity }: OpenSocket) =>
    restricted !== undefined && (identity === undefined || !hasSameRights(restricted.to, identity))
  const [text, otherText, post] = await Promise.all([
    messageText(message, link),
    messageText({ ...message, data: restricted?.otherwise ?? {} }, undefined),
    postTo(endpoint),
  ])
  const responses = await mapConcurrently(sockets, (socket) =>
    deliver(post, socket, isRestricted(socket) ? otherText : text, signal),
  )
  const gone = sockets.filter((_, index) => responses[index]?.outcome === 'gone')
  await forgetSockets(
    database,
    gone.map(({ connectionId }) => connectionId),
  )
  const failed = responses.filter(({ outcome }) => outcome === 'busy' || outcome === 'failed')
  if (failed.length > 0)
    warn(
      'a message did not reach every socket of its subject; their clients read it with their next request',
      message,
      failed,
    )
  const delivered = sockets.length - gone.length - failed.length
  if (delivered > 0) count(invocation, 'Pushes', delivered)
  if (gone.length > 0) count(invocation, 'PushesGone', gone.length)
  if (failed.length > 0) count(invocation, 'PushesFailed', failed.length)
  return { delivered, gone: gone.length, failed: failed.length }
}

function warn(text: string, { event }: PushMessage, failed: readonly PostOutcome[]): void {
  const causes = [...new Set(failed.map(({ cause }) => cause))]
  log('warn', text, { event, failed: failed.length, causes })
}

const maxConcurrency = 10

/** Does the work for `concurrency` entries at a time, by default ten; the results are in the order of the entries. */
export async function mapConcurrently<Entry, Result>(
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<Result>,
  concurrency = maxConcurrency,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = entries.entries()
  const takeTurns = async () => {
    for (const [index, entry] of waiting) results[index] = await work(entry)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, entries.length) }, takeTurns))
  return results
}

const maxAttempts = 5
const minPauseMs = 50
const openingMs = 2_000

/**
 * Posts a text, and again while that may help. The gateway calls a socket gone that is not open yet, so it gets more
 * time.
 */
export async function deliver(
  post: Post,
  { connectionId, opening }: Pick<OpenSocket, 'connectionId' | 'opening'>,
  text: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const start = performance.now()
  for (let attempt = 1; !signal.aborted; attempt++) {
    const response = await post(connectionId, text, signal)
    const again =
      (response.outcome === 'busy' && attempt < maxAttempts) ||
      (response.outcome === 'gone' && opening && performance.now() - start < openingMs)
    if (!again) return response
    const longest = minPauseMs * 2 ** Math.min(attempt, maxAttempts)
    await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
  return { outcome: 'failed', cause: 'NoTimeLeft' }
}

/**
 * Shows a stored notification on the open sockets of its subject, in the language of the request that caused it. The
 * rows of a result are for `restrictedTo` only, where it is given. To be called after the commit. Never rejects.
 */
export function pushNotification(
  service: PushService,
  notification: StoredNotification,
  language: Language,
  restrictedTo?: StoredIdentity,
): Promise<PushCounts> {
  const { id, subject } = notification
  const data = notificationEntry(notification, language)
  const otherwise = { ...data, data: notificationWithoutRows(notification.data) }
  const restricted = restrictedTo && { to: restrictedTo, otherwise }
  return push(service, subject, { event: 'notification', channel: 'notifications', id, seq: id, data }, { restricted })
}

/** The part of a service or a request that pushing needs. */
export interface PushService {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
  readonly invocation?: Invocation
}
