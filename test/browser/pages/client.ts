import type { Message } from '../../../lib/client/index.ts'
import { client } from './page-client.ts'

const messages: Message[] = []
const states: string[] = []

Object.assign(globalThis, {
  messages,
  states,
  client,
  connection: client.connect({ onMessage: (one) => messages.push(one), onState: (state) => states.push(state) }),
})
