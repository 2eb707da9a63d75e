import { socketCount, socketMessage, socketPing, socketSubscribe, socketUnsubscribe } from '#lib'
import { registry } from '#tables'

/** `$default`: questions about the rows of a table, on a client's WebSocket, and pings until their own route is there. */
export const handler = socketMessage({
  ping: socketPing(),
  count: socketCount(registry),
  subscribe: socketSubscribe(registry),
  unsubscribe: socketUnsubscribe(),
})
