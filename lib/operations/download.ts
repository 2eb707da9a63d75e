import { RequestError } from '../errors/request-error.ts'
import { findDownload } from '../storage/download-link.ts'
import { objectUrl } from '../storage/object-store.ts'
import { uploadPendingFile } from '../storage/store-file.ts'
import { type Reply, replyWith } from './reply.ts'
import type { PublicOperation } from './table-request.ts'

/** Long enough for a browser to follow the redirect, and too short to share the URL. */
const objectUrlSeconds = 60

/**
 * Redirects the holder of a link to its file, or for HEAD to the file's headers. A link that was altered, has expired,
 * was revoked or never existed is `download_not_found`.
 */
export const download: PublicOperation = async ({ config, database, path, method }): Promise<Reply> => {
  const found = await findDownload(config, await database.session(), path['download'] ?? '')
  if (found === undefined) throw new RequestError('download_not_found')
  const { objectKey, isPending, foundAt } = found
  if (isPending) await uploadPendingFile({ config, database }, objectKey)
  const location = await objectUrl(config, objectKey, {
    seconds: objectUrlSeconds,
    signedAt: foundAt,
    // S3 signs the method, too: a URL for GET refuses HEAD.
    method: method === 'HEAD' ? 'HEAD' : 'GET',
  })
  return replyWith(302, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
}
