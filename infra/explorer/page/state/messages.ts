import { createStore } from './store.ts'

export interface Message {
  readonly id: number
  readonly tone: 'success' | 'danger' | 'info'
  readonly text: string
  readonly href?: string
}

/** What just happened, shown until it is old or put away; what went wrong stays. */
export const messages = createStore<readonly Message[]>([])

let count = 0
const shownMs = 8_000

export function say(tone: Message['tone'], text: string, href?: string): void {
  if (text === '') return
  count += 1
  const id = count
  messages.set([...messages.get().slice(-3), { id, tone, text, ...(href !== undefined && { href }) }])
  if (tone !== 'danger') setTimeout(() => dismiss(id), shownMs)
}

export const dismiss = (id: number): void => messages.set(messages.get().filter((one) => one.id !== id))
