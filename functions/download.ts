import { download, publicEndpoint } from '#lib'

/** GET downloads/{download}: the file behind a signed link. */
export const handler = publicEndpoint({ name: 'download', run: download })
