import { callerEndpoint, listDownloads } from '#lib'
import { registry } from '#tables'

/** GET downloads: the links to files that the caller requested. */
export const handler = callerEndpoint(registry, { name: 'listDownloads', run: listDownloads })
