import { RequestError } from '../errors/request-error.ts'
import { revokeDownload as revoke } from '../storage/download-link.ts'
import type { CallerOperation } from './table-request.ts'

/** Makes a link of the caller useless; doing it twice is no mistake. Somebody else's link is `download_not_found`. */
export const revokeDownload: CallerOperation = async ({ config, database, identity, path }) => {
  const revoked = await revoke(config, await database.session(), path['download'] ?? '', identity.subject)
  if (!revoked) throw new RequestError('download_not_found')
  return {}
}
