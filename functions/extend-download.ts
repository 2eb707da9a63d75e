import { callerEndpoint, extendDownload } from '#lib'
import { registry } from '#tables'

/** POST downloads/{download}/extend: lets a link that the caller requested work for longer. */
export const handler = callerEndpoint(registry, { name: 'extendDownload', run: extendDownload })
