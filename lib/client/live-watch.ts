import { applyRowMessage, compareItems, type LivePage, type RowMessage, type RowsChange } from './live-rows.ts'
import type { LiveSocket, SocketMessage } from './live-socket.ts'
import { notify } from './notify.ts'
import { backoff } from './pause.ts'
import { createServiceError, TableError } from './table-error.ts'
import type { RowId } from './wire.ts'

/**
 * `asking`: the page is requested, at first or because changes may be missing. `live`: the page is as in the latest
 * message. `lost`: the connection is tried again. `ended`: nothing follows.
 */
export type WatchState = 'asking' | 'live' | 'lost' | 'ended'

export interface WatchHandlers<I> {
  /**
   * Is called with the first page, and whenever the page has changed. Items that are equal to those of before are the
   * same objects.
   */
  readonly onRows: (items: readonly I[], change: RowsChange) => void
  /** `error` says why the page is `lost` or `ended`; absent if the caller has ended it. */
  readonly onState?: ((state: WatchState, error?: TableError) => void) | undefined
  /** Is called with each message that is applied. */
  readonly onMessage?: ((message: RowMessage<I>) => void) | undefined
}

/** How a watch reaches the service. */
export interface WatchCalls<I> {
  readonly socket: LiveSocket
  /** Returns the `subscribe` message for an id, with a current token. */
  readonly createQuestion: (id: string) => Promise<object>
  /** Requests a page that is too large for a message. */
  readonly readPage: () => Promise<readonly I[]>
  readonly complete: (items: readonly I[]) => readonly I[]
}

/** A subscription and its messages that cannot be applied yet, by number. */
interface Subscription<I> {
  readonly id: string
  readonly waiting: Map<number, RowMessage<I>>
}

/**
 * The state of a watch. Each question has an id of its own: messages of an earlier one are never taken for those of a
 * later.
 */
interface Watch<I> {
  readonly calls: WatchCalls<I>
  readonly handlers: WatchHandlers<I>
  readonly timers: Readonly<Record<'reply' | 'gap' | 'again', Timer>>
  state?: WatchState
  post?: ((message: object) => void) | undefined
  shown?: readonly I[]
  page: LivePage<I>
  current?: Subscription<I> | undefined
  next?: Subscription<I> | undefined
  /** The id of the subscription that has left its place to the next question. */
  left?: string | undefined
  attempt: number
  currentSince: number
  hasReopened: boolean
}

interface HasId {
  readonly id: RowId
}

/** Longer than the gateway waits for a function. */
const maxReplyMs = 35_000
/** How long a missing message is awaited: two workers may send messages in another order. */
const maxGapMs = 1_000
const minAgainMs = 1_000
const maxAgainMs = 20_000
const calmMs = 10_000
/** The subscriptions that the service allows on a socket. */
const maxPages = 20

let count = 0

/** Watches one page until the returned function is called, or the service ends it. */
export function startWatch<I extends HasId>(calls: WatchCalls<I>, handlers: WatchHandlers<I>): () => void {
  const watch: Watch<I> = {
    calls,
    handlers,
    page: { items: [], seq: 0, status: 'stale' },
    attempt: 0,
    currentSince: 0,
    hasReopened: false,
    timers: { reply: createTimer(), gap: createTimer(), again: createTimer() },
  }
  const finish = (error?: TableError) => {
    if (watch.state === 'ended') return
    for (const subscription of [watch.current, watch.next]) unsubscribe(watch, subscription)
    lose(watch)
    stopUsing()
    enter(watch, 'ended', error)
  }
  const stopUsing = calls.socket.use({
    open: (post) => {
      lose(watch)
      watch.post = post
      enter(watch, 'asking')
      void ask(watch, finish)
    },
    receive: (message) => receive(watch, message, finish),
    lose: (error) => {
      lose(watch)
      enter(watch, 'lost', error)
    },
    end: finish,
    renew: () => void ask(watch, finish),
  })
  if (watch.state === undefined) enter(watch, 'asking')
  return () => finish()
}

type Finish = (error: TableError) => void

function enter<I>(watch: Watch<I>, state: WatchState, error?: TableError): void {
  if (watch.state === state || watch.state === 'ended') return
  watch.state = state
  notify(() => watch.handlers.onState?.(state, error))
}

function lose<I>(watch: Watch<I>): void {
  for (const timer of Object.values(watch.timers)) timer.stop()
  watch.calls.socket.holders.delete(watch)
  watch.post = undefined
  watch.current = undefined
  watch.next = undefined
}

function unsubscribe<I>({ post }: Watch<I>, subscription: Subscription<I> | undefined): void {
  if (subscription !== undefined) post?.({ event: 'unsubscribe', id: subscription.id })
}

async function ask<I extends HasId>(watch: Watch<I>, finish: Finish): Promise<void> {
  const { timers, calls } = watch
  timers.again.stop()
  timers.gap.stop()
  if (watch.post === undefined || watch.next !== undefined) return
  const { holders } = calls.socket
  // The place that a page leaves to its own next question is not for another page.
  if (holders.size >= maxPages && !holders.has(watch)) {
    timers.again.start(minAgainMs, () => void ask(watch, finish))
    return
  }
  count += 1
  const asked: Subscription<I> = { id: `page-${count}`, waiting: new Map() }
  watch.next = asked
  try {
    const question = await calls.createQuestion(asked.id)
    if (watch.next !== asked) return
    watch.post(question)
    timers.reply.start(maxReplyMs, calls.socket.reopen)
  } catch (error) {
    // A token that could not be fetched may come later.
    if (watch.next === asked) refuse(watch, toTableError(error, 'unreachable'), finish)
  }
}

function askLater<I extends HasId>(watch: Watch<I>, finish: Finish, minMs = 0): void {
  if (watch.state === 'ended') return
  if (watch.state === 'live' && Date.now() - watch.currentSince > calmMs) watch.attempt = 0
  const ms = Math.max(minMs, backoff(watch.attempt, minAgainMs, maxAgainMs))
  watch.attempt += 1
  watch.timers.again.start(ms, () => void ask(watch, finish))
  enter(watch, 'asking')
}

function receive<I extends HasId>(watch: Watch<I>, message: SocketMessage, finish: Finish): void {
  const { event, id } = message
  if (event === 'rows.unsubscribed' && id === watch.left) void ask(watch, finish)
  const subscription = [watch.next, watch.current].find((one) => one?.id === id)
  if (subscription === undefined) return
  if (event === 'rows.subscribed') void accept(watch, subscription, Object(message['data']), finish)
  else if (event === 'error') refuse(watch, createServiceError(message), finish)
  else if (event !== 'rows.unsubscribed') {
    const change = message as unknown as RowMessage<I>
    subscription.waiting.set(change.seq, change)
    if (subscription === watch.current) applyWaiting(watch, finish)
  }
}

async function accept<I extends HasId>(
  watch: Watch<I>,
  asked: Subscription<I>,
  { items }: { readonly items?: readonly I[] },
  finish: Finish,
): Promise<void> {
  const { timers, calls } = watch
  // A frame that came twice must not end the wait for the reply to a later question.
  if (watch.next !== asked) return
  timers.reply.stop()
  try {
    const read = items === undefined ? await calls.readPage() : calls.complete(items)
    if (watch.next !== asked) return
    unsubscribe(watch, watch.current)
    timers.again.stop()
    calls.socket.holders.add(watch)
    Object.assign(watch, { current: asked, next: undefined, hasReopened: false, currentSince: Date.now() })
    watch.page = { items: read, seq: 0, status: 'current' }
    show(watch)
    enter(watch, 'live')
    applyWaiting(watch, finish)
  } catch (error) {
    if (watch.next !== asked) return
    unsubscribe(watch, asked)
    refuse(watch, toTableError(error, 'bad_response'), finish)
  }
}

function applyWaiting<I extends HasId>(watch: Watch<I>, finish: Finish): void {
  const { current, handlers, timers } = watch
  if (current === undefined) return
  if (watch.page.status === 'stale') {
    current.waiting.clear()
    return
  }
  for (;;) {
    const waiting = current.waiting.get(watch.page.seq + 1)
    if (waiting === undefined || watch.current !== current) break
    current.waiting.delete(waiting.seq)
    const message = completeMessage(watch, waiting)
    watch.page = applyRowMessage(watch.page, message)
    notify(() => handlers.onMessage?.(message))
    if (message.event === 'rows.stale') askLater(watch, finish)
    if (message.event === 'rows.ended') finish(createServiceError({ ...message.data }))
    show(watch)
  }
  if (watch.current !== current || watch.page.status === 'stale') return
  if ([...current.waiting.keys()].some((seq) => seq > watch.page.seq))
    timers.gap.start(maxGapMs, () => void ask(watch, finish))
  else timers.gap.stop()
}

function show<I extends HasId>(watch: Watch<I>): void {
  if (watch.page.status !== 'current' || watch.state === 'ended') return
  const { items, change } = compareItems(watch.shown ?? [], watch.page.items)
  const isFirst = watch.shown === undefined
  watch.shown = items
  if (change !== undefined || isFirst) notify(() => watch.handlers.onRows(items, change ?? unchanged))
}

const unchanged: RowsChange = { entered: [], changed: [], left: [], isMoved: false }

/** Codes after which the same question can succeed. */
const passing: ReadonlySet<string> = new Set([
  'unavailable',
  'too_many_requests',
  'timed_out',
  'internal_error',
  'unreachable',
  'bad_response',
  'page_too_costly',
  'outcome_unknown',
])

function refuse<I extends HasId>(watch: Watch<I>, error: TableError, finish: Finish): void {
  watch.timers.reply.stop()
  watch.next = undefined
  // The limit of a caller names a time, that of subscriptions none: the earlier one leaves its place to the next.
  if (error.code === 'too_many_requests' && error.retryAfter === undefined) {
    unsubscribe(watch, watch.current)
    watch.left = watch.current?.id
    watch.current = undefined
  }
  // A socket ends with the token that has opened it.
  const isOutdated = error.code === 'unauthenticated' || (error.code === 'forbidden' && watch.shown !== undefined)
  if (passing.has(error.code)) askLater(watch, finish, (error.retryAfter ?? 0) * 1_000)
  else if (!isOutdated || watch.hasReopened) finish(error)
  else {
    watch.hasReopened = true
    watch.calls.socket.reopen()
  }
}

function completeMessage<I>({ calls }: Watch<I>, message: RowMessage<I>): RowMessage<I> {
  if (message.event !== 'rows.changed' && message.event !== 'rows.entered') return message
  return { ...message, data: { ...message.data, items: calls.complete(message.data.items) } }
}

const toTableError = (error: unknown, code: string): TableError =>
  error instanceof TableError ? error : new TableError(code, String(error), { cause: error })

type Timer = ReturnType<typeof createTimer>

/** Creates a timer that waits for one thing at a time. */
function createTimer() {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    stop,
    start: (ms: number, run: () => void) => {
      timer ??= setTimeout(() => {
        timer = undefined
        run()
      }, ms)
    },
  }
}
