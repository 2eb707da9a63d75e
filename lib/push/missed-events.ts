import type { Database } from '../db/database.ts'
import { jobChannel } from './job-events.ts'
import type { PushMessage } from './push-message.ts'

/** More than a minute of progress; a client asks again from the last one. */
const maxEvents = 300

const list = `select event.seq, event.event, event.data from table_control.job_events event
  join table_control.jobs job on job.id = event.job_id
  where job.id = $1 and job.subject = $2 and event.seq > $3 order by event.seq limit ${maxEvents}`

/** Returns what the sockets of a job's owner were told after an event, as they were told it. Events are kept for a day. */
export async function listJobEvents(
  read: Database['read'],
  id: string,
  subject: string,
  after: number,
): Promise<readonly PushMessage[]> {
  const rows = await read(list, [id, subject, after])
  return rows.map(([seq, event, data]) => ({
    ...{ event: String(event), channel: jobChannel(id), id, seq: Number(seq) },
    data: Object(data),
  }))
}
