import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type FileLink, jobLinkMinutes, type LinkFacts, storeFile } from '../storage/store-file.ts'
import type { Job } from './job.ts'
import type { JobFile, JobOutcome } from './job-outcome.ts'

/** What is kept of a job, told on sockets, and read by whoever asks for the job. */
export type JobResult = Readonly<Record<string, unknown>>

interface FileService {
  readonly config: Config
  readonly database: Database
}

/** As JSON: a notification takes 16 KB with its texts, a socket's message 128 KB. */
const mostBytes = { notification: 9_000, websocket: 100_000, email: 100_000 } as const

/**
 * The result of a job, in the words of an instant answer. A file becomes a link, and so does what is too large to be told; no
 * link is made of a file that is mailed.
 */
export async function jobResult(service: FileService, job: Job, outcome: JobOutcome): Promise<JobResult> {
  const { message, rows, counts, results, data, file } = outcome
  const link = file !== undefined && job.response !== 'email' ? await linkTo(service, job, file) : undefined
  const told = {
    message: message[job.language],
    rows,
    ...(counts !== undefined && { counts }),
    ...(link !== undefined && linkFields(link)),
  }
  const whole = {
    ...told,
    ...(results !== undefined && { results }),
    ...((data !== undefined || link !== undefined) && { data: { ...data, ...link } }),
  }
  const json = JSON.stringify(whole)
  const bytes = Buffer.byteLength(json)
  if (bytes <= mostBytes[job.response]) return whole
  const content = Buffer.from(json)
  const pointer = await linkTo(service, job, { name: 'result.json', contentType: 'application/json', content, bytes })
  return { ...told, data: { ...link, ...(link === undefined ? pointer : { result_url: pointer.url }) } }
}

/** How a result, or what is told with a notification, names a file. */
export const linkFields = ({ filename, url }: FileLink): JobResult => ({ type: 'stream', file_name: filename, url })

function linkTo({ config, database }: FileService, job: Job, file: JobFile): Promise<FileLink> {
  const { identity, guard, baseUrl } = job
  return storeFile({ config, database, identity, guard, baseUrl }, file, jobLinkFacts(config, job))
}

/** Returns what the links of a job are listed under, and how long they work. */
export const jobLinkFacts = (config: Config, { id: jobId, tableName, action, body }: Job): LinkFacts => ({
  ...{ jobId, tableName, action, params: Object(body['params']) },
  minutes: jobLinkMinutes(config),
})
