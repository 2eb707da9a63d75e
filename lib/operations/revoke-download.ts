import { revokeOwnDownload } from '../storage/own-downloads.ts'
import { changeOwnDownload } from './own-download.ts'
import type { CallerOperation } from './table-request.ts'

/** Ends a link of the caller; repeating it is harmless. Another caller's link is `download_not_found`. */
export const revokeDownload: CallerOperation = (request) =>
  changeOwnDownload(request, 'revoke_download', revokeOwnDownload)
