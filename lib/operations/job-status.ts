import { hasSameRights, type Identity, type StoredIdentity } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import { isoMoment } from '../db/iso-moment.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { cancelOwnJob } from '../jobs/end-job.ts'
import type { JobFailure } from '../jobs/job.ts'
import { listJobEvents } from '../push/job-events.ts'
import { resultWithoutRows } from '../push/without-rows.ts'
import { uuid } from '../query/read-value.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/** Returns the state, progress and result of a job of the caller. Throws `job_not_found` for any other job. */
export async function jobStatus({ database, identity, path, query }: CallerRequest): Promise<Payload> {
  const id = readJobId(path['jobId'])
  const after = readAfter(query)
  // First, so that an event which comes in between is in the job that is read after it.
  const events = after === undefined ? undefined : await listJobEvents(database.read, id, identity.subject, after)
  const { job, isSameCaller } = await readOwnJob(database, id, identity)
  if (events === undefined) return { job }
  return {
    job,
    events: isSameCaller ? events : events.map((event) => ({ ...event, data: resultWithoutRows(event.data) })),
  }
}

/** Stops a job of the caller, as soon as its worker notices, and answers with the job. */
export async function cancelJob({ config, database, identity, path }: CallerRequest): Promise<Payload> {
  const id = readJobId(path['jobId'])
  await cancelOwnJob({ config, database }, id, identity.subject)
  const { job } = await readOwnJob(database, id, identity)
  return { job }
}

function readAfter(query: string): number | undefined {
  const text = new URLSearchParams(query).get('after') ?? ''
  if (text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw validationFailed({ after: [fieldFault('not_whole', { min: 0, max: 999_999_999 })] })
}

/** The id in a path. Throws `job_not_found` for what can be no job's. */
function readJobId(text = ''): string {
  if (!uuid.test(text)) throw new RequestError('job_not_found')
  return text.toLowerCase()
}

// The data of an author's action may have the same key.
const linkId = `case when result #>> '{data,download_id}' ~ '^[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$'
  then (result #>> '{data,download_id}')::uuid end`

const ownJob = `select state, action, table_name, response, done, total, ${isoMoment('created_at')}, ${isoMoment('started_at')},
  ${isoMoment('finished_at')}, result, failure,
  (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('address', address, 'status', state, 'code', code)) order by address)
    from table_control.job_recipients where job_id = id), cancel_requested,
  (select ${isoMoment('expires_at')} from table_control.downloads link
    where link.id = ${linkId} and link.revoked_at is null and link.expires_at > now()), ${linkId} is not null, identity
  from table_control.jobs where id = $1 and subject = $2 and kind <> 'import'`

/** A job of the caller, and whether the rights of the caller are those with which it was requested. */
interface OwnJob {
  readonly job: Payload
  readonly isSameCaller: boolean
}

/** Reads a job as its owner sees it. Throws `job_not_found`. */
async function readOwnJob({ read }: Database, id: string, caller: Identity): Promise<OwnJob> {
  const [row] = await read(ownJob, [id, caller.subject])
  if (row === undefined) throw new RequestError('job_not_found')
  const [status, action, table, response, done, total, created_at, started_at, finished_at, ...outcome] = row
  const [stored, thrown, recipients, cancelRequested, linkExpiresAt, hasLink, owner] = outcome
  const failure = thrown as JobFailure | null
  const link = hasLink === true ? { expiresAt: linkExpiresAt as string | null } : undefined
  const isSameCaller = hasSameRights(caller, owner as StoredIdentity)
  const result = isSameCaller ? stored : resultWithoutRows(Object(stored))
  const job = {
    id,
    status,
    action,
    table,
    response,
    done,
    total,
    created_at,
    started_at,
    finished_at,
    ...(stored !== null && { result: link === undefined ? result : withLink(Object(result), link) }),
    ...(failure !== null && { code: failure.code, errors: [failure.en, failure.ar] }),
    ...(failure?.counts !== undefined && { counts: failure.counts }),
    ...(cancelRequested === true && status === 'running' && { cancel_requested: true }),
    ...(recipients !== null && { recipients }),
  }
  return { job, isSameCaller }
}

/**
 * Returns a result with the present end of its link, which may have been extended, and without the URL of a dead one.
 */
function withLink({ url, data, ...result }: Payload, { expiresAt }: { readonly expiresAt: string | null }): Payload {
  const { url: dataUrl, ...facts } = Object(data)
  if (expiresAt === null) return { ...result, data: facts }
  return { ...result, url, data: { ...facts, url: dataUrl, expires_at: expiresAt } }
}
