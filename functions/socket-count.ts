import { socketCount } from '#lib'
import { registry } from '#tables'

/** `count`: the number of rows of a query, for a client's WebSocket. */
export const handler = socketCount(registry)
