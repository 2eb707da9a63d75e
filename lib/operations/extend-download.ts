import { maxFileDays } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { extendOwnDownload, findDownloadOrigin } from '../storage/own-downloads.ts'
import { changeOwnDownload, readDownloadId } from './own-download.ts'
import { type CallerOperation, ownValue, type UnknownBody } from './table-request.ts'

/**
 * Lets a link of the caller work for `days` from now, as long as its file is kept. Throws `download_not_found` for a dead link,
 * and refuses a caller who could not request the file again.
 */
export const extendDownload: CallerOperation = async (request) => {
  const { config, database, identity } = request
  const days = readDays(request.body) ?? config.MAIL_LINK_DAYS
  const origin = await findDownloadOrigin(database.read, readDownloadId(request), identity.subject)
  if (origin === undefined) throw new RequestError('download_not_found')
  await request.assertMayRun(origin)
  return changeOwnDownload(request, 'extend_download', (run, id, subject) => extendOwnDownload(run, id, subject, days))
}

function readDays(body: UnknownBody): number | undefined {
  // A misspelt key must not extend a link by another time than was meant.
  if (Object.keys(body).length === 0) return undefined
  const days = ownValue(body, 'days')
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= maxFileDays) return days
  throw validationFailed({ days: [fieldFault('not_whole', { min: 1, max: maxFileDays })] })
}
