import { RequestError } from '../errors/request-error.ts'
import { wakeWatchers } from '../jobs/queue.ts'
import { type Post, postTo } from '../push/post-to-connection.ts'
import { deliver, mapConcurrently } from '../push/push.ts'
import { maxMessageBytes } from '../push/push-message.ts'
import { forgetSockets } from '../push/sockets.ts'
import {
  claimRowEvents,
  findSubscription,
  forgetShown,
  holdChange,
  listSubscriptions,
  removeRowEvents,
  removeSubscription,
  type Subscription,
  saveShown,
} from '../push/subscriptions.ts'
import { type JsonText, jsonList, jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import { compareWindows } from './compare-windows.ts'
import { readWindow, type WatchedPage } from './read-window.ts'
import { openWatched, shareReads, type WatchService } from './watched-request.ts'

interface SendingService extends WatchService {
  readonly invocation?: Invocation
}

/** The means to tell the watchers of one table. */
interface Sending {
  readonly service: SendingService
  readonly tableName: string
  readonly post: Post
}

/**
 * Tells the watchers of a table what has changed since they were last told. Any number of workers may do so at once: each change
 * is claimed by one of them, and a watcher whom another worker has told meanwhile is read again.
 */
export async function sendRowChanges(service: SendingService, tableName: string): Promise<void> {
  const { config, database } = service
  if (config.SOCKET_ENDPOINT === undefined) return
  const events = await claimRowEvents(database, tableName)
  if (events === undefined) return
  const subscriptions = await listSubscriptions(database, tableName, events.connectionIds)
  if (subscriptions.length > 0) {
    const sending = { service, tableName, post: await postTo(config.SOCKET_ENDPOINT) }
    const shared = { ...sending, service: { ...service, database: shareReads(database) } }
    await mapConcurrently(subscriptions, (subscription) => tellWatcher(sending, shared, subscription))
  }
  await removeRowEvents(database, events)
}

const maxAttempts = 5

async function tellWatcher(fresh: Sending, shared: Sending, listed: Subscription): Promise<void> {
  let subscription: Subscription | undefined = listed
  for (let attempt = 1; subscription !== undefined && attempt <= maxAttempts; attempt++) {
    // A read of before is not repeated from memory: another worker may have sent what came after it.
    if (await tellOnce(attempt === 1 ? shared : fresh, subscription)) return
    subscription = await findSubscription(fresh.service.database, listed)
  }
  if (subscription !== undefined) await tellLater(fresh, subscription, heldSeconds)
}

/** A change that comes behind too many messages waits so long. */
const heldSeconds = 1
const failedSeconds = 5

/** Returns false if another worker has told the watcher meanwhile. */
async function tellOnce(sending: Sending, subscription: Subscription): Promise<boolean> {
  const page = await readPageNow(sending, subscription)
  if (page === 'ended') return true
  if (subscription.isFull) {
    const isSame = page !== 'unread' && subscription.shown && !compareWindows(subscription.shown, page.rows)
    if (isSame !== true) await tellLater(sending, subscription, heldSeconds)
    return true
  }
  const messages = page === 'unread' ? createStale(subscription, 'unread') : createMessages(subscription, page)
  if (messages.length === 0 || (page === 'unread' && subscription.shown === undefined)) return true
  const { database } = sending.service
  const shown = page === 'unread' ? undefined : page.rows
  if (!(await saveShown(database, subscription, shown, messages.length))) return false
  await postAll(sending, subscription, messages)
  return true
}

async function tellLater({ service, tableName }: Sending, subscription: Subscription, seconds: number): Promise<void> {
  await holdChange(service.database, tableName, subscription, seconds)
  await wakeWatchers(service.config, tableName, seconds)
}

/** Reads the page as its watcher may see it now. A watcher who may no longer see the table is told so, and the subscription ends. */
async function readPageNow(sending: Sending, subscription: Subscription): Promise<WatchedPage | 'ended' | 'unread'> {
  const { service, tableName } = sending
  try {
    return await readWindow(await openWatched(service, tableName, subscription))
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) {
      await endSubscription(sending, subscription, error)
      return 'ended'
    }
    log('warn', 'the page of a subscription cannot be read; its watcher is told to ask again', {
      ...{ table: tableName, ...failureFacts(error) },
    })
    return 'unread'
  }
}

async function endSubscription(sending: Sending, subscription: Subscription, { code, text }: RequestError) {
  const seq = await removeSubscription(sending.service.database, subscription)
  if (seq === undefined) return
  const { language } = subscription
  const data = { success: false, code, errors: [text.en, text.ar], message: text[language] }
  await postAll(sending, subscription, [formatMessage(subscription, 'rows.ended', seq + 1, data)])
}

type Data = Readonly<Record<string, unknown>>

const formatMessage = ({ id }: Subscription, event: string, seq: number, data: Data | JsonText): string =>
  jsonTextValue(jsonObject({ event, channel: `rows:${id}`, id, seq, data }))

const createStale = (subscription: Subscription, reason: 'too_many' | 'too_large' | 'unsent' | 'unread') => [
  formatMessage(subscription, 'rows.stale', subscription.seq + 1, { reason }),
]

/** Creates the messages that bring what the watcher shows to the page as it is; the last one has the order of its rows if it is another. */
function createMessages(subscription: Subscription, { rows, items }: WatchedPage): readonly string[] {
  const { shown, isHeld, seq } = subscription
  if (shown === undefined) return createStale(subscription, 'unsent')
  const change = compareWindows(shown, rows)
  if (change === undefined) return []
  if (isHeld) return createStale(subscription, 'too_many')
  const { changed, entered, left, isMoved } = change
  const listItems = (ids: ReadonlySet<unknown>) => jsonList(items.filter((_, index) => ids.has(rows[index]?.[0])))
  const parts: (readonly [event: string, data: Data])[] = []
  if (left.length > 0) parts.push(['rows.left', { ids: left }])
  if (entered.size > 0) parts.push(['rows.entered', { items: listItems(entered) }])
  if (changed.size > 0 || parts.length === 0) parts.push(['rows.changed', { items: listItems(changed) }])
  const order = isMoved ? { order: rows.map(([id]) => id) } : {}
  const messages = parts.map(([event, data], index) => {
    const isLast = index === parts.length - 1
    return formatMessage(subscription, event, seq + index + 1, jsonObject({ ...data, ...(isLast && order) }))
  })
  const isTooLarge = messages.some((text) => Buffer.byteLength(text) > maxMessageBytes)
  return isTooLarge ? createStale(subscription, 'too_large') : messages
}

const maxPostMs = 4_000

/** Posts messages in their order. A connection that is gone is removed with its subscriptions. */
async function postAll(sending: Sending, subscription: Subscription, messages: readonly string[]): Promise<void> {
  const { service, post } = sending
  const { database, invocation } = service
  const signal = AbortSignal.timeout(maxPostMs)
  const socket = { connectionId: subscription.connectionId, opening: false }
  for (const text of messages) {
    const { outcome, cause } = await deliver(post, socket, text, signal)
    if (outcome === 'gone') {
      count(invocation, 'PushesGone')
      return forgetSockets(database, [subscription.connectionId])
    }
    if (outcome !== 'delivered') {
      count(invocation, 'PushesFailed')
      log('warn', 'a change of rows did not reach its watcher, who is told to ask again', { cause })
      await forgetShown(database, subscription)
      return tellLater(sending, subscription, failedSeconds)
    }
    count(invocation, 'Pushes')
  }
}
