import { socketMessage } from '#lib'

/** `$default`: what a client says on its WebSocket. */
export const handler = socketMessage()
