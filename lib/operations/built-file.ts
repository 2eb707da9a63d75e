import { Writable } from 'node:stream'
import { askedReport } from '../actions/asked-report.ts'
import type { Plan } from '../query/plan.ts'
import { reportFileName, reportMediaType } from '../reports/report-file.ts'
import { writeReport } from '../reports/write-report.ts'
import { attachmentDisposition } from '../storage/attachment-disposition.ts'
import { createPendingFile, type PendingFile } from '../storage/pending-file.ts'
import { type FileLink, type LinkFacts, storeFile } from '../storage/store-file.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import { count } from '../telemetry/invocation.ts'
import type { ActionTransaction } from './action-transaction.ts'
import { type Reply, replyWith } from './reply.ts'
import type { TableRequest } from './table-request.ts'

/** A file in memory; only what is small is made this way. */
export interface BuiltFile {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
  readonly rows: number
}

/** The most bytes of a file that fits into a function's answer, where it is base64 inside JSON. */
export const mostFileBytes = 4_600_000

/** Writes a report into memory. */
export async function buildFile(request: TableRequest, plan: Plan, format: ExportFormat): Promise<BuiltFile> {
  const report = askedReport(request, plan, format, request.body)
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

/** The file itself as the answer. */
export const fileReply = ({ name, contentType, content, rows }: BuiltFile): Reply =>
  replyWith(
    200,
    { 'content-type': contentType, 'content-disposition': attachmentDisposition(name), 'x-total-rows': String(rows) },
    content,
  )

type NamedFile = Omit<BuiltFile, 'rows'>

/** Stores a file and returns a link to it that works without headers for some minutes. Not for use in a transaction. */
export const linkedFile = (request: TableRequest, { name, contentType, content }: NamedFile): Promise<FileLink> =>
  storeFile(request, { name, contentType, content }, linkFacts(request))

/** Creates such a link in a transaction, to a file that `tryUpload` stores after it. */
export const pendingFile = (
  request: TableRequest,
  { name, contentType, content }: NamedFile,
  { transaction }: ActionTransaction,
): Promise<PendingFile> =>
  createPendingFile({ ...request, database: transaction }, { name, contentType, content }, linkFacts(request))

const linkFacts = ({ config, table, path }: TableRequest): LinkFacts => ({
  minutes: config.DOWNLOAD_MINUTES,
  tableName: table.name,
  action: path['action'],
})
