import { socketCount, socketQuestions, socketSubscribe, socketUnsubscribe } from '#lib'
import { registry } from '#tables'

/** `count`, `subscribe` and `unsubscribe`: questions about the rows of a table, on a client's WebSocket. */
export const handler = socketQuestions({
  count: socketCount(registry),
  subscribe: socketSubscribe(registry),
  unsubscribe: socketUnsubscribe(),
})
