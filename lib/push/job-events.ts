import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredIdentity } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import type { Bilingual, Language } from '../i18n/language.ts'
import { errorName, log } from '../telemetry/log.ts'
import { type PushService, push } from './push.ts'
import type { Link, PushData, PushMessage } from './push-message.ts'
import { resultWithoutRows } from './without-rows.ts'

/** Sends the events of a job to its owner's sockets, in the order of the calls. Nothing here rejects. */
export interface JobEvents {
  readonly started: (data?: PushData) => Promise<void>
  /** Returns at once. Sends the latest progress about four times a second. */
  readonly progress: (done: number, total: number | null) => void
  /** Sends the last progress first. `link` takes a result that is too large for a message. */
  readonly completed: (data: PushData, link?: Link) => Promise<void>
  readonly failed: (failure: Bilingual & { readonly code: string; readonly counts?: unknown }) => Promise<void>
  /** Sends what waits, and resolves when all is sent. */
  readonly flush: () => Promise<void>
}

export interface JobOfEvents {
  readonly id: string
  /** Its rows are for sockets with the rights of this identity. */
  readonly identity: StoredIdentity
  readonly language: Language
}

const progressPauseMs = 250

/** The channel on which a job's events are sent. */
export const jobChannel = (jobId: string): string => `job:${jobId}`

/** Creates the events of one job. Each takes the next `seq` of the job's row, also without an open socket. */
export function createJobEvents(service: PushService, job: JobOfEvents): JobEvents {
  let sent = Promise.resolve()
  let latest: PushData | undefined
  let reporting = false

  const send = (event: string, data: PushData, link?: Link): Promise<void> => {
    sent = sent.then(() => sendEvent(service, job, `bulk_action.${event}`, data, link))
    return sent
  }
  const sendLatest = async (): Promise<void> => {
    const data = latest
    latest = undefined
    if (data !== undefined) await send('progress', data)
  }
  const report = async (): Promise<void> => {
    reporting = true
    while (latest !== undefined) {
      await sendLatest()
      await sleep(progressPauseMs, undefined, { ref: false })
    }
    reporting = false
  }
  const end = (event: string, data: PushData, link?: Link): Promise<void> => {
    // Both are queued at once, or a later progress could follow the end.
    const last = sendLatest()
    return Promise.all([last, send(event, data, link)]).then(() => {})
  }

  return {
    started: (data = {}) => send('started', data),
    progress: (done, total) => {
      latest = { done, total }
      if (!reporting) void report()
    },
    completed: (data, link) => end('completed', { success: true, ...data }, link),
    failed: ({ code, counts, ...text }) => {
      const texts = { success: false, code, errors: [text.en, text.ar], message: text[job.language] }
      return end('failed', { ...texts, ...(counts !== undefined && { counts }) })
    },
    flush: async () => {
      await sendLatest()
      await sent
    },
  }
}

async function sendEvent(
  service: PushService,
  { id, identity }: JobOfEvents,
  event: string,
  data: PushData,
  link: Link | undefined,
): Promise<void> {
  if (service.config.SOCKET_ENDPOINT === undefined) return
  const seq = await storeEvent(service, id, event, data)
  if (seq === undefined) return
  const restricted = { to: identity, otherwise: resultWithoutRows(data) }
  await push(service, identity.subject, { event, channel: jobChannel(id), id, seq, data }, { link, restricted })
}

// A worker that has lost its job to another one may report its progress after the end.
const insertion = `with numbered as (update table_control.jobs set seq = seq + 1 where id = $1 and not exists (
    select from table_control.job_events where job_id = $1 and event in ('bulk_action.completed', 'bulk_action.failed'))
    returning seq)
  insert into table_control.job_events (job_id, seq, event, data) select $1, seq, $2, $3 from numbered returning seq`

/** Stores an event with its number, for clients that were offline. Returns `undefined` if none may follow. */
async function storeEvent(
  { database }: PushService,
  jobId: string,
  event: string,
  data: PushData,
): Promise<number | undefined> {
  try {
    const [row] = await database.transaction(({ run }) => run(insertion, [jobId, event, JSON.stringify(data)]))
    return row === undefined ? undefined : Number(row[0])
  } catch (error) {
    log('warn', 'an event of a job was not stored and not sent; clients see the job at GET jobs/{id}', {
      job: jobId,
      error: errorName(error),
    })
    return undefined
  }
}

/** More than a minute of progress; a client requests the rest from the last one. */
const maxEvents = 300

const list = `select event.seq, event.event, event.data from table_control.job_events event
  join table_control.jobs job on job.id = event.job_id
  where job.id = $1 and job.subject = $2 and event.seq > $3 order by event.seq limit ${maxEvents}`

/** Returns the events of a job after one of them, as they were sent. They are stored for a day. */
export async function listJobEvents(
  read: Database['read'],
  id: string,
  subject: string,
  after: number,
): Promise<readonly PushMessage[]> {
  const rows = await read(list, [id, subject, after])
  return rows.map(([seq, event, data]) => ({
    event: String(event),
    channel: jobChannel(id),
    id,
    seq: Number(seq),
    data: Object(data),
  }))
}
