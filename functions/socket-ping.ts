import { socketPing } from '#lib'

/** `ping`: keeps a client's WebSocket from being idle. */
export const handler = socketPing()
