import { maxFileDays } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { extendOwnDownload } from '../storage/own-downloads.ts'
import { changeOwnDownload } from './own-download.ts'
import { type CallerOperation, ownValue, type UnknownBody } from './table-request.ts'

/** Lets a link of the caller work for `days` from now, as long as its file is kept. A dead link is `download_not_found`. */
export const extendDownload: CallerOperation = async (request) => {
  const days = readDays(request.body) ?? request.config.MAIL_LINK_DAYS
  return changeOwnDownload(request, 'extend_download', (run, id, subject) => extendOwnDownload(run, id, subject, days))
}

function readDays(body: UnknownBody): number | undefined {
  // A misspelt key must not extend a link by another time than was meant.
  if (Object.keys(body).length === 0) return undefined
  const days = ownValue(body, 'days')
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= maxFileDays) return days
  throw validationFailed({ days: [fieldFault('not_whole', { least: 1, most: maxFileDays })] })
}
