import { socketConnect } from '#lib'
import { registry } from '#tables'

/** `$connect`: lets a client open a WebSocket. */
export const handler = socketConnect(registry)
