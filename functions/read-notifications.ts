import { callerEndpoint, readNotifications } from '#lib'
import { registry } from '#tables'

/** POST notifications/read: marks notifications of the caller as read. */
export const handler = callerEndpoint(registry, { name: 'readNotifications', run: readNotifications })
