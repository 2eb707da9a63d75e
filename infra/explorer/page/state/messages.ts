import type { Notification } from '../service/wire.ts'
import { createStore } from './store.ts'

export interface Message {
  readonly id: number
  readonly tone: 'success' | 'danger' | 'info'
  readonly text: string
  readonly href?: string
}

/** The messages on screen. Failures stay until they are closed, all others expire. */
export const messages = createStore<readonly Message[]>([])

type SaidNotification = Pick<Notification, 'id' | 'title' | 'body' | 'level'>

let count = 0
const shownMs = 8_000

/** Shows a message; returns what takes it away. */
export function say(tone: Message['tone'], text: string, href?: string): () => void {
  if (text === '') return () => undefined
  count += 1
  const id = count
  messages.set([...messages.get().slice(-3), { id, tone, text, ...(href !== undefined && { href }) }])
  if (tone !== 'danger') setTimeout(() => dismiss(id), shownMs)
  return () => dismiss(id)
}

export const dismiss = (id: number): void => messages.set(messages.get().filter((one) => one.id !== id))

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

/** Shows a notification once, whether the answer to an action or the socket brings it first. */
export function sayNotification({ id, title, body, level }: SaidNotification): void {
  if (saidNotifications.has(id)) return
  saidNotifications.add(id)
  say(level === 'danger' || level === 'success' ? level : 'info', `${title}: ${body}`)
}
