import { Writable } from 'node:stream'
import { createReportPlan } from '../actions/create-report-plan.ts'
import type { Plan } from '../query/plan.ts'
import { reportFileName, reportMediaType } from '../reports/report-file.ts'
import { writeReport } from '../reports/write-report.ts'
import type { StoredFile } from '../storage/download-link.ts'
import { attachmentDisposition } from '../storage/file-name.ts'
import { removeObject } from '../storage/object-store.ts'
import {
  createLink,
  createPendingFile,
  type FileLink,
  type LinkFacts,
  type PendingFile,
  storeObject,
} from '../storage/store-file.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import { storableParams } from '../table/storable-params.ts'
import { count } from '../telemetry/invocation.ts'
import type { ActionTransaction } from './action-transaction.ts'
import { type Reply, replyWith } from './reply.ts'
import type { TableRequest } from './table-request.ts'

/** A file in memory; only what is small is made this way. */
export interface ReportContent {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
  readonly rows: number
}

/** The most bytes of a file that fits into a function's response, where it is base64 inside JSON. */
export const maxFileBytes = 4_600_000

/** Writes a report into memory. */
export async function buildReportFile(request: TableRequest, plan: Plan, format: ExportFormat): Promise<ReportContent> {
  const report = createReportPlan(request, plan, format, request.body, { secret: request.config.SERVICE_SECRET })
  const parts: Uint8Array[] = []
  const out = new Writable({
    write: (part: Uint8Array, _encoding, done) => {
      parts.push(part)
      done()
    },
  })
  const { rows } = await writeReport(request.database, report, out)
  count(request.invocation, 'Exports')
  count(request.invocation, 'ReportRows', rows)
  return { name: reportFileName(report), contentType: reportMediaType[format], content: Buffer.concat(parts), rows }
}

/** The file itself as the response. */
export const createFileReply = ({ name, contentType, content, rows }: ReportContent): Reply =>
  replyWith(
    200,
    { 'content-type': contentType, 'content-disposition': attachmentDisposition(name), 'x-total-rows': String(rows) },
    content,
  )

type NamedFile = Omit<ReportContent, 'rows'>

/** Creates a link, in the transaction of an action. */
type LinkTo = (running: ActionTransaction) => Promise<FileLink>

/**
 * Stores a file, then runs the work that links to it in its transaction: only what that work commits can be downloaded.
 * A file without a link is removed. Not for use in a transaction.
 */
export async function withStoredFile<T>(
  request: TableRequest,
  file: NamedFile,
  work: (linkTo: LinkTo) => Promise<T>,
): Promise<T> {
  const facts = linkFacts(request)
  const stored = await storeObject(request, file)
  let isLinked = false
  try {
    return await work(({ transaction }) => {
      isLinked = true
      return createLink({ ...request, database: transaction }, stored, facts)
    })
  } catch (error) {
    // Once the commit of the link was sent, the link may exist although the work has failed.
    if (request.invocation?.mayHaveCommitted === false) isLinked = false
    throw error
  } finally {
    if (!isLinked) await tryRemove(request, stored)
  }
}

const maxRemovalMs = 3_000

/** Never rejects: an object that cannot be removed now is removed by the bucket's lifecycle. */
const tryRemove = ({ config }: TableRequest, { objectKey }: StoredFile): Promise<void> =>
  removeObject(config, objectKey, AbortSignal.timeout(maxRemovalMs)).catch(() => {})

/** Creates, in a transaction, a link that works for some minutes, to a file that `tryUpload` stores after it. */
export const createPendingReport = (
  request: TableRequest,
  file: NamedFile,
  { transaction }: ActionTransaction,
): Promise<PendingFile> => createPendingFile({ ...request, database: transaction }, file, linkFacts(request))

const linkFacts = ({ config, table, path, view, context }: TableRequest): LinkFacts => ({
  minutes: config.DOWNLOAD_MINUTES,
  tableName: table.name,
  action: path['action'],
  params: storableParams(view, context),
})
