import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
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
  ${held(' and lease_until > now()')} and (state = 'pending' or (state = 'sending' and $4)) returning true`

/**
 * Records that a mail is about to be sent, for whoever finds the job should this process die. Throws where the lease is lost.
 * A first try whose outcome is unknown is repeated; while the lease holds, nobody else can have set the state that it then finds.
 */
export async function beginSending({ transaction }: Database, job: HeldJob, address: string): Promise<void> {
  const write = (isRepeated: boolean) =>
    transaction(({ run }) => run(begin, [job.id, job.leaseToken, address, isRepeated]))
  const begun = await write(false).catch((error: unknown) => {
    if (!isInDoubt(error)) throw error
    return patiently(() => write(true))
  })
  if (begun.length === 0) throw new JobStopped('lost')
}

const isInDoubt = (error: unknown): boolean => error instanceof RequestError && error.code === 'outcome_unknown'

const end = `update table_control.job_recipients set state = $4, message_id = $5, code = $6, updated_at = now()
  ${held()} and state = 'sending'`

// A failover takes up to half a minute; the lease lasts a minute, and the function keeps that long in reserve.
const pausesMs = [100, 500, 2_000, 5_000, 10_000, 15_000]

/** Tries again while the database is away for a moment. */
async function patiently<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await write()
    } catch {
      await sleep(pauseMs)
    }
  }
  return write()
}

/** Writes down what came of a mail. A database that is away for a moment is waited for: not written, the mail is `unknown`. */
export async function endSending(
  { transaction }: Database,
  job: HeldJob,
  address: string,
  outcome: MailOutcome,
): Promise<void> {
  // One that was written, but not answered, is written once more to no effect.
  await patiently(() => transaction(({ run }) => run(end, [job.id, job.leaseToken, address, ...endOf(outcome)])))
}

function endOf(mail: MailOutcome): readonly [RecipientState, string | null, string | null] {
  if (mail.outcome === 'sent') return ['sent', mail.messageId, null]
  if (mail.outcome === 'refused') return ['failed', null, mail.code]
  return [mail.outcome === 'later' ? 'pending' : 'unknown', null, mail.code]
}
