import { cancelOwnJob } from '../jobs/end-job.ts'
import { readJobId, readOwnJob } from './job-status.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/** Stops a job of the caller, as soon as its worker notices, and answers with the job. */
export async function cancelJob({ config, database, identity, path }: CallerRequest): Promise<Payload> {
  const id = readJobId(path['jobId'])
  await cancelOwnJob({ config, database }, id, identity.subject)
  const { job } = await readOwnJob(database, id, identity)
  return { job }
}
