import { actionFault } from '../errors/action-fault.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { allReadable, validationFailed } from '../errors/request-error.ts'
import { uuid } from '../query/read-value.ts'
import { type DownloadPage, type DownloadPosition, listOwnDownloads } from '../storage/own-downloads.ts'
import { downloadEntry } from './own-download.ts'
import type { CallerRequest, Payload } from './table-request.ts'

const defaultLimit = 50
const maxPerPage = 100

/**
 * Lists the links that the caller requested and that have not expired, newest first; `job` selects those of one job.
 */
export async function listDownloads(request: CallerRequest): Promise<Payload> {
  const { database, identity } = request
  const { downloads, next } = await listOwnDownloads(database.read, identity.subject, readPage(request.query))
  return {
    items: downloads.map((download) => downloadEntry(request, download)),
    next: next === undefined ? null : `${next.microseconds}.${next.id}`,
  }
}

function readPage(query: string): DownloadPage {
  const given = new URLSearchParams(query)
  const [jobId, before, limit] = allReadable([
    () => readJob(given.get('job') ?? ''),
    () => readPosition(given.get('before') ?? ''),
    () => readLimit(given.get('limit') ?? ''),
  ])
  return { jobId, before, limit }
}

function readJob(text: string): string | undefined {
  if (text === '') return undefined
  if (!uuid.test(text)) throw validationFailed({ job: [fieldFault('not_a_uuid')] })
  return text
}

function readPosition(text: string): DownloadPosition | undefined {
  if (text === '') return undefined
  const [microseconds = '', id = '', ...more] = text.split('.')
  if (/^\d{1,18}$/.test(microseconds) && uuid.test(id) && more.length === 0) return { microseconds, id }
  throw validationFailed({ before: [actionFault('not_a_position')] })
}

function readLimit(text: string): number {
  if (text === '') return defaultLimit
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxPerPage) return limit
  throw validationFailed({ limit: [fieldFault('not_whole', { min: 1, max: maxPerPage })] })
}
