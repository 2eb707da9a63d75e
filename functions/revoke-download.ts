import { callerEndpoint, revokeDownload } from '#lib'
import { registry } from '#tables'

/** POST downloads/{download}/revoke: makes a link of the caller useless. */
export const handler = callerEndpoint(registry, { name: 'revokeDownload', run: revokeDownload })
