import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { MailOutcome } from '../mail/send-mail.ts'
import type { HeldJob } from './job.ts'
import { JobStopped } from './job-stopped.ts'

export type RecipientState = 'pending' | 'sending' | 'sent' | 'failed' | 'unknown'

/** What became of the mail to one recipient. */
export interface Recipient {
  readonly address: string
  readonly state: RecipientState
  /** Why it was not sent, or why nobody knows. */
  readonly code: string | undefined
}

const all = 'select address, state, code from table_control.job_recipients where job_id = $1 order by address'

/** The recipients of a job, in the order of their addresses. */
export async function recipientsOf(run: Database['read'], jobId: string): Promise<readonly Recipient[]> {
  const rows = await run(all, [jobId])
  return rows.map(([address, state, code]) => ({
    address: String(address),
    state: state as RecipientState,
    code: typeof code === 'string' ? code : undefined,
  }))
}

// Waits for a worker that is just taking the job over, and then finds that the lease is no longer its own.
const held = (more = '') => `from (select id from table_control.jobs
  where id = $1 and lease_token = $2 and state = 'running'${more} for share) held where job_id = held.id and address = $3`

const begin = `update table_control.job_recipients set state = 'sending', updated_at = now()
  ${held(' and lease_until > now()')} and state = 'pending' returning true`

/** Writes down that a mail is about to be sent, for whoever finds the job should this process die. Throws where the lease is lost. */
export async function beginSending({ transaction }: Database, job: HeldJob, address: string): Promise<void> {
  const begun = await transaction(({ run }) => run(begin, [job.id, job.leaseToken, address]))
  if (begun.length === 0) throw new JobStopped('lost')
}

const end = `update table_control.job_recipients set state = $4, message_id = $5, code = $6, updated_at = now()
  ${held()} and state = 'sending'`

const pausesMs = [100, 500, 2_000]

/** Writes down what came of a mail. A database that is away for a moment is waited for: not written, the mail is `unknown`. */
export async function endSending(
  { transaction }: Database,
  job: HeldJob,
  address: string,
  outcome: MailOutcome,
): Promise<void> {
  const write = () => transaction(({ run }) => run(end, [job.id, job.leaseToken, address, ...endOf(outcome)]))
  for (const pauseMs of pausesMs) {
    // One that was written, but not answered, is written once more to no effect.
    const written = await write().catch(() => undefined)
    if (written !== undefined) return
    await sleep(pauseMs)
  }
  await write()
}

function endOf(mail: MailOutcome): readonly [RecipientState, string | null, string | null] {
  if (mail.outcome === 'sent') return ['sent', mail.messageId, null]
  if (mail.outcome === 'refused') return ['failed', null, mail.code]
  return [mail.outcome === 'later' ? 'pending' : 'unknown', null, mail.code]
}
