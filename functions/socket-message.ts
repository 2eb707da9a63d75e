import { socketCount, socketMessage, socketSubscribe, socketUnsubscribe } from '#lib'
import { registry } from '#tables'

/** `$default`: questions about the rows of a table, on a client's WebSocket. */
export const handler = socketMessage({
  count: socketCount(registry),
  subscribe: socketSubscribe(registry),
  unsubscribe: socketUnsubscribe(),
})
