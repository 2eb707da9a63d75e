import { callerEndpoint, revokeDownload } from '#lib'
import { registry } from '#tables'

/** POST downloads/{download}/revoke: ends a link that the caller requested. */
export const handler = callerEndpoint(registry, { name: 'revokeDownload', run: revokeDownload })
