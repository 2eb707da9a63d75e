import { socketDisconnect } from '#lib'

/** `$disconnect`: forgets a WebSocket. */
export const handler = socketDisconnect()
