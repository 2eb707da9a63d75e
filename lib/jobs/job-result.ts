import type { Config } from '../config.ts'
import { type FileLink, jobLinkMinutes, type LinkFacts, type ReportFile, storeFile } from '../storage/store-file.ts'
import type { Job, JobOutcome, JobResult, JobService } from './job.ts'

/** Bytes of JSON: a notification takes 16 KB with its texts, a socket's message 128 KB. */
const maxBytes = { notification: 9_000, websocket: 100_000, email: 100_000 } as const

/**
 * Creates the result of a job, with the fields of an instant response. A file becomes a link unless it is mailed, and
 * so does a result that is too large.
 */
export async function createJobResult(service: JobService, job: Job, outcome: JobOutcome): Promise<JobResult> {
  const { message, rows, counts, results, refused, data, file } = outcome
  const link = file !== undefined && job.response !== 'email' ? await linkFile(service, job, file) : undefined
  const fields = {
    message: message[job.language],
    rows,
    ...(counts !== undefined && { counts }),
    ...(link !== undefined && linkFields(link)),
  }
  const whole = {
    ...fields,
    ...(refused !== undefined && { refused }),
    ...(results !== undefined && { results }),
    ...((data !== undefined || link !== undefined) && { data: { ...data, ...link } }),
  }
  const json = JSON.stringify(whole)
  const bytes = Buffer.byteLength(json)
  if (bytes <= maxBytes[job.response]) return whole
  const content = Buffer.from(json)
  const pointer = await linkFile(service, job, { name: 'result.json', contentType: 'application/json', content, bytes })
  return { ...fields, data: { ...link, ...(link === undefined ? pointer : { result_url: pointer.url }) } }
}

/** Returns the fields by which a result or a notification refers to a file. */
export const linkFields = ({ filename, url }: FileLink): JobResult => ({ type: 'stream', file_name: filename, url })

const linkFile = ({ config, database }: JobService, job: Job, file: ReportFile): Promise<FileLink> =>
  storeFile({ ...job, config, database }, file, jobLinkFacts(config, job))

/** Returns the facts of a job's links, and how long they work. */
export const jobLinkFacts = (config: Config, { id: jobId, tableName, action, body }: Job): LinkFacts => ({
  jobId,
  tableName,
  action,
  params: Object(body['params']),
  minutes: jobLinkMinutes(config),
})
