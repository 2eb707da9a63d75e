import { callerEndpoint, listNotifications } from '#lib'
import { registry } from '#tables'

/** GET notifications: the caller's notifications, the newest first. */
export const handler = callerEndpoint(registry, { name: 'listNotifications', run: listNotifications })
