import { setTimeout as sleep } from 'node:timers/promises'
import { findComputeError } from '../db/database-error.ts'
import { listTexts, RequestError } from '../errors/request-error.ts'
import { wakeWatchers } from '../jobs/queue.ts'
import { type Post, postTo } from '../push/post-to-connection.ts'
import { deliver, mapConcurrently } from '../push/push.ts'
import { maxMessageBytes } from '../push/push-message.ts'
import { forgetSockets } from '../push/sockets.ts'
import {
  type ClaimedEvents,
  claimRowEvents,
  listSubscriptions,
  maxListed,
  postponeChanges,
  releaseRowEvents,
  removeRowEvents,
  removeSubscription,
  renewRowEvents,
  type ShownAfter,
  type ShownRows,
  type Subscription,
  saveShown,
} from '../push/subscriptions.ts'
import { type JsonText, jsonList, jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import type { WatchedPage } from './read-window.ts'
import { createWindowReader, type WatchService } from './watched-request.ts'

interface SendingService extends WatchService {
  readonly invocation?: Invocation
}

/** The means to notify the watchers of one table. */
interface Sending {
  readonly service: SendingService
  readonly tableName: string
  readonly post: Post
  /** True if the table was emptied by TRUNCATE: its watchers ask again. */
  readonly isTruncate?: boolean
  /** How long the pages of each caller have been read, by subject. */
  readonly readMs: Map<string, number>
}

/**
 * Sends the watchers of a table what has changed since the last message, until nothing has changed meanwhile. One
 * worker does so at a time; others return at once. If another worker has sent to a watcher meanwhile, its page is read
 * again.
 */
export async function sendRowChanges(service: SendingService, tableName: string): Promise<void> {
  const { config, database } = service
  if (config.SOCKET_ENDPOINT === undefined) return
  const post = await postTo(config.SOCKET_ENDPOINT)
  const end = performance.now() + maxSendingMs
  let claimed = await claimRowEvents(database, tableName)
  while (claimed.ids.length > 0) {
    await notifyOfClaimed({ service, tableName, post, readMs: new Map() }, claimed)
    if (performance.now() > end) return wakeWatchers(config, tableName)
    claimed = await claimRowEvents(database, tableName)
  }
}

/** After that another message of the queue goes on, so that a job does not wait for watchers. */
const maxSendingMs = 10_000

/** A claim lasts longer than two of these. */
const renewalMs = 10_000

/** Also claims the changes of the pause, so that they are sent with the others. */
async function notifyOfClaimed(sending: Sending, first: ClaimedEvents): Promise<void> {
  const { database } = sending.service
  let claimed = first
  try {
    if (first.waitMs > 0) {
      await sleep(first.waitMs)
      claimed = await claimRowEvents(database, sending.tableName, claimed)
    }
    // Without a renewal, another worker would take this one for failed while it reads many slow pages.
    const timer = setInterval(() => void renewRowEvents(database, claimed).catch(() => undefined), renewalMs)
    await notifyWatchers(sending, claimed).finally(() => clearInterval(timer))
  } catch (error) {
    await releaseRowEvents(database, claimed).catch(() => undefined)
    throw error
  }
  await removeRowEvents(database, claimed)
}

async function notifyWatchers(base: Sending, claimed: ClaimedEvents): Promise<void> {
  const sending = { ...base, isTruncate: claimed.isTruncate }
  const { service, tableName } = sending
  let last: Subscription | undefined
  do {
    const listed = await listSubscriptions(service.database, tableName, claimed, last)
    await notifyListed(sending, listed)
    last = listed.length < maxListed ? undefined : listed.at(-1)
  } while (last !== undefined)
}

const maxAttempts = 5
const maxConcurrency = 50

/** How long a message that is ready waits for the pages of other watchers. */
const maxWaitMs = 500

/** The watchers whose pages have been read: those who get messages, and those who must wait. */
interface ReadyWatchers {
  readonly planned: PlannedMessages[]
  readonly postponed: Subscription[]
}

/** Reads the pages of watchers, stores what they are going to show, and sends it. */
async function notifyListed(sending: Sending, listed: readonly Subscription[], attempt = 1): Promise<void> {
  if (listed.length === 0) return
  const ready: ReadyWatchers = { planned: [], postponed: [] }
  const missed: Subscription[] = []
  let isRead = false
  const reading = readPages(sending, listed, ready).then(() => {
    isRead = true
  })
  while (!isRead) {
    await Promise.race([reading, sleep(maxWaitMs, undefined, { ref: false })])
    missed.push(...(await notifyReady(sending, ready)))
  }
  missed.push(...(await notifyReady(sending, ready)))
  if (missed.length === 0) return
  if (attempt === maxAttempts) return notifyLater(sending, missed, { seconds: postponedSeconds, isLost: false })
  await notifyListed(sending, await listAgain(sending, missed), attempt + 1)
}

/**
 * Plans what to send to watchers. The pages of one caller are read one after the other. Those that are not begun in
 * time come first the next time, so that many slow pages do not hold up other callers.
 */
async function readPages(sending: Sending, listed: readonly Subscription[], ready: ReadyWatchers): Promise<void> {
  const read = createWindowReader(sending.service, sending.tableName)
  const postponedFirst = listed.toSorted((one, other) => Number(other.isPostponed) - Number(one.isPostponed))
  const callers = [...Map.groupBy(postponedFirst, ({ identity }) => identity.subject)]
  const readOwn = async ([subject, own]: (typeof callers)[number]) => {
    const begunAt = performance.now() - (sending.readMs.get(subject) ?? 0)
    for (const one of own) {
      const plan = performance.now() - begunAt > maxSendingMs ? 'postponed' : await planMessages(sending, one, read)
      if (plan === 'postponed') ready.postponed.push(one)
      else if (plan !== 'nothing') ready.planned.push(plan)
    }
    sending.readMs.set(subject, performance.now() - begunAt)
  }
  await mapConcurrently(callers, readOwn, maxConcurrency)
}

/** Sends the messages that are ready, and returns the watchers who must be read again. */
async function notifyReady(sending: Sending, ready: ReadyWatchers): Promise<readonly Subscription[]> {
  const planned = ready.planned.splice(0)
  await notifyLater(sending, ready.postponed.splice(0), { seconds: postponedSeconds, isLost: false })
  const saved = new Set(await saveShown(sending.service.database, planned))
  await postAll(sending, [...saved])
  return planned.filter((plan) => !saved.has(plan)).map(({ subscription }) => subscription)
}

async function listAgain({ service, tableName }: Sending, missed: readonly Subscription[]) {
  const connectionIds = [...new Set(missed.map(({ connectionId }) => connectionId))]
  const names = new Set(missed.map(({ connectionId, id }) => `${connectionId} ${id}`))
  const listed = await listSubscriptions(service.database, tableName, { connectionIds })
  return listed.filter(({ connectionId, id }) => names.has(`${connectionId} ${id}`))
}

/** How long a change waits that comes behind too many messages. */
const postponedSeconds = 1
const failedSeconds = 5

interface PlannedMessages extends ShownAfter {
  readonly messages: readonly string[]
}

/** Returns what to send to a watcher, or that it must wait. */
async function planMessages(
  sending: Sending,
  subscription: Subscription,
  read: ReturnType<typeof createWindowReader>,
): Promise<PlannedMessages | 'postponed' | 'nothing'> {
  const page = await readPageNow(sending, subscription, read)
  if (page === 'ended') return 'nothing'
  if (subscription.room === 0) {
    const isSame = page !== 'unread' && subscription.shown && !compareWindows(subscription.shown, page.rows)
    return isSame === true ? 'nothing' : 'postponed'
  }
  const messages = page === 'unread' ? createStale(subscription, 'unread') : createMessages(sending, subscription, page)
  // Without a message the page is what its watcher shows: nothing is postponed any more.
  const endsPostponement = subscription.isPostponed && subscription.room === 2
  // A watcher who was told that the page is stale is told again only if that may have been lost.
  const isTold = subscription.shown === undefined && !subscription.isPostponed
  if (page === 'unread' ? isTold : messages.length === 0 && !endsPostponement) return 'nothing'
  return { subscription, messages, messageCount: messages.length, shown: page === 'unread' ? undefined : page.rows }
}

async function notifyLater(
  { service, tableName }: Sending,
  postponed: readonly Subscription[],
  how: { readonly seconds: number; readonly isLost: boolean },
): Promise<void> {
  if (postponed.length === 0) return
  await postponeChanges(service.database, tableName, postponed, how)
  await wakeWatchers(service.config, tableName, how.seconds)
}

/**
 * Reads the page as its watcher may see it now. A watcher who may no longer see the table is sent the reason, and the
 * subscription ends.
 */
async function readPageNow(
  sending: Sending,
  subscription: Subscription,
  read: ReturnType<typeof createWindowReader>,
): Promise<WatchedPage | 'ended' | 'unread'> {
  try {
    return await read(subscription)
  } catch (error) {
    if (error instanceof RequestError && error.status < 500 && findComputeError(error) === undefined) {
      await endRefusedSubscription(sending, subscription, error)
      return 'ended'
    }
    log('warn', 'the page of a subscription cannot be read; its watcher is asked to read it again', {
      table: sending.tableName,
      ...failureFacts(error),
    })
    return 'unread'
  }
}

async function endRefusedSubscription(sending: Sending, subscription: Subscription, error: RequestError) {
  const seq = await removeSubscription(sending.service.database, subscription)
  if (seq === undefined) return
  const texts = listTexts(error)
  const errors = texts.flatMap(({ en, ar }) => [en, ar])
  const data = { success: false, code: error.code, errors, message: texts[0]?.[subscription.language] }
  await postMessages(sending, subscription, [formatMessage(subscription, 'rows.ended', seq + 1, data)])
}

type Data = Readonly<Record<string, unknown>>

const formatMessage = ({ id }: Subscription, event: string, seq: number, data: Data | JsonText): string =>
  jsonTextValue(jsonObject({ event, channel: `rows:${id}`, id, seq, data }))

const createStale = (
  subscription: Subscription,
  reason: 'too_many' | 'too_large' | 'truncated' | 'unsent' | 'unread',
) => [formatMessage(subscription, 'rows.stale', subscription.seq + 1, { reason })]

/**
 * Creates the messages that turn what the watcher shows into the page as it is. The last one has the order of the rows,
 * if that is another.
 */
function createMessages(
  { isTruncate }: Sending,
  subscription: Subscription,
  { rows, items }: WatchedPage,
): readonly string[] {
  const { shown, isPostponed, seq, room } = subscription
  if (shown === undefined) return createStale(subscription, 'unsent')
  const change = compareWindows(shown, rows)
  if (change === undefined) return []
  if (isTruncate === true) return createStale(subscription, 'truncated')
  if (isPostponed) return createStale(subscription, 'too_many')
  const { changed, entered, left, isMoved } = change
  const listItems = (ids: ReadonlySet<unknown>) => jsonList(items.filter((_, index) => ids.has(rows[index]?.[0])))
  const parts: (readonly [event: string, data: Data])[] = []
  if (left.length > 0) parts.push(['rows.left', { ids: left }])
  if (entered.size > 0) parts.push(['rows.entered', { items: listItems(entered) }])
  if (changed.size > 0 || parts.length === 0) parts.push(['rows.changed', { items: listItems(changed) }])
  if (parts.length > room) return createStale(subscription, 'too_many')
  const order = isMoved ? { order: rows.map(([id]) => id) } : {}
  const messages = parts.map(([event, data], index) => {
    const isLast = index === parts.length - 1
    return formatMessage(subscription, event, seq + index + 1, jsonObject({ ...data, ...(isLast && order) }))
  })
  const isTooLarge = messages.some((text) => Buffer.byteLength(text) > maxMessageBytes)
  return isTooLarge ? createStale(subscription, 'too_large') : messages
}

const maxPostMs = 4_000

/** Posts the messages of many watchers. Connections that are gone are removed with their subscriptions. */
async function postAll(sending: Sending, planned: readonly PlannedMessages[]): Promise<void> {
  const outcomes = await mapConcurrently(
    planned,
    ({ subscription, messages }) => postMessages(sending, subscription, messages),
    maxConcurrency,
  )
  const selectByOutcome = (outcome: (typeof outcomes)[number]) =>
    planned.filter((_, index) => outcomes[index] === outcome).map(({ subscription }) => subscription)
  const gone = new Set(selectByOutcome('gone').map(({ connectionId }) => connectionId))
  await forgetSockets(sending.service.database, [...gone])
  await notifyLater(sending, selectByOutcome('failed'), { seconds: failedSeconds, isLost: true })
}

/** Posts messages in their order, up to the first that does not arrive. */
async function postMessages(
  { service: { invocation }, post }: Sending,
  { connectionId }: Subscription,
  messages: readonly string[],
): Promise<'delivered' | 'gone' | 'failed'> {
  const signal = AbortSignal.timeout(maxPostMs)
  for (const text of messages) {
    const { outcome, cause } = await deliver(post, { connectionId, opening: false }, text, signal)
    if (outcome === 'gone') {
      count(invocation, 'PushesGone')
      return 'gone'
    }
    if (outcome !== 'delivered') {
      count(invocation, 'PushesFailed')
      log('warn', 'a change of rows did not reach its watcher, who is asked to read the page again', { cause })
      return 'failed'
    }
    count(invocation, 'Pushes')
  }
  return 'delivered'
}

type Id = ShownRows[number][0]

/** The differences between a page and the rows that its watcher shows. */
interface WindowChange {
  readonly changed: ReadonlySet<Id>
  readonly entered: ReadonlySet<Id>
  readonly left: readonly Id[]
  /** True if the list of ids differs in any way: in its order, its length or its members. */
  readonly isMoved: boolean
}

/** Compares a page with the rows that were shown before; `undefined` if it is the same. */
function compareWindows(before: ShownRows, after: ShownRows): WindowChange | undefined {
  const digests = new Map(before)
  const present = new Set(after.map(([id]) => id))
  const entered = new Set(after.filter(([id]) => !digests.has(id)).map(([id]) => id))
  const changed = after.filter(([id, digest]) => digests.has(id) && digests.get(id) !== digest).map(([id]) => id)
  const left = before.filter(([id]) => !present.has(id)).map(([id]) => id)
  const isMoved = before.length !== after.length || before.some(([id], index) => id !== after[index]?.[0])
  if (changed.length === 0 && !isMoved) return undefined
  return { changed: new Set(changed), entered, left, isMoved }
}
