import type { Notification } from '../service/wire.ts'
import { createStore } from './store.ts'

export interface Message {
  readonly id: number
  readonly tone: 'success' | 'danger' | 'info'
  readonly text: string
  readonly href?: string
  readonly action?: MessageAction
}

/** A button of a message. */
interface MessageAction {
  readonly label: string
  /** The keys that do the same. */
  readonly keys?: string
  readonly run: () => void
}

/**
 * The messages on screen. Failures and those with a way stay until they are closed, all others expire unless they are
 * used.
 */
export const messages = createStore<readonly Message[]>([])

export interface SaidNotification extends Pick<Notification, 'id' | 'title' | 'body'> {
  readonly level: string
}

let count = 0
let noticed: string | undefined
const shownMs = 8_000

/** Shows a message, with where it leads or what can be done about it. Returns what takes it away. */
export function say(tone: Message['tone'], text: string, way?: string | MessageAction): () => void {
  if (text === '' || text === noticed) return () => undefined
  count += 1
  const id = count
  // A failure of several parts is one failure.
  const others = messages.get().filter((one) => tone !== 'danger' || one.text !== text)
  messages.set([
    ...others.filter((one, at) => one.tone === 'danger' || at >= others.length - 3),
    { id, tone, text, ...(typeof way === 'string' ? { href: way } : way && { action: way }) },
  ])
  if (tone !== 'danger' && way === undefined) setTimeout(() => expire(id), shownMs)
  return () => dismiss(id)
}

/** Removes a message, as soon as neither the pointer nor the focus is on it. */
function expire(id: number): void {
  if (document.querySelector(`#message-${id}:is(:hover, :focus-within)`)) setTimeout(() => expire(id), 1_000)
  else dismiss(id)
}

export const dismiss = (id: number): void => messages.set(messages.get().filter((one) => one.id !== id))

/** Keeps a text out of the messages while a notice of the page shows it; without a text, none is kept out any more. */
export function keepOut(text?: string): void {
  noticed = text
  messages.set(messages.get().filter((one) => one.text !== text))
}

const laterMs = 400

/** Says what takes longer than a moment. Returns what ends it, whether it was said or not. */
export function sayLater(tone: Message['tone'], text: string): () => void {
  let end = () => undefined as void
  const timer = setTimeout(() => {
    end = say(tone, text)
  }, laterMs)
  return () => {
    clearTimeout(timer)
    end()
  }
}

const saidNotifications = new Set<number>()

/** Shows a notification once, whether the response to an action or the socket has it first. */
export function sayNotification({ id, title, body, level }: SaidNotification): void {
  if (saidNotifications.has(id)) return
  saidNotifications.add(id)
  say(level === 'danger' || level === 'success' ? level : 'info', `${title}: ${body}`)
}
