import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { MailOutcome } from '../mail/send-mail.ts'
import { type Job, JobStopped, type LeasedJob, type Recipient } from './job.ts'
import { isLeased, jobColumns, toJob } from './job-store.ts'

const recipients = 'select address, state, code from table_control.job_recipients where job_id = $1 order by address'

/** Returns the recipients of a job, in the order of their addresses. */
export async function listRecipients(run: Database['read'], jobId: string): Promise<readonly Recipient[]> {
  const rows = await run(recipients, [jobId])
  return rows.map(([address, state, code]) => ({
    address: String(address),
    state: state as Recipient['state'],
    code: typeof code === 'string' ? code : undefined,
  }))
}

// The lock waits for a worker that is just claiming the job, and then finds that the lease is lost.
const ofLeasedJob = (condition = '') => `from (select id from table_control.jobs
  where ${isLeased}${condition} for share) leased where job_id = leased.id and address = $3`

const sendingBegin = `update table_control.job_recipients set state = 'sending', updated_at = now()
  ${ofLeasedJob(' and lease_until > now()')} and (state = 'pending' or (state = 'sending' and $4)) returning true`

/** Stores that a mail is about to be sent. Throws if the lease is lost. */
export async function markSending(
  { transaction }: Database,
  { id, leaseToken }: LeasedJob,
  address: string,
  isRepeated: boolean,
): Promise<void> {
  const rows = await transaction(({ run }) => run(sendingBegin, [id, leaseToken, address, isRepeated]))
  if (rows.length === 0) throw new JobStopped('lost')
}

const sendingEnd = `update table_control.job_recipients set state = $4, message_id = $5, code = $6, updated_at = now()
  ${ofLeasedJob()} and state = 'sending'`

/** Stores the outcome of a mail. Storing it twice has no effect. */
export const markSent = (
  { transaction }: Database,
  { id, leaseToken }: LeasedJob,
  address: string,
  mail: MailOutcome,
): Promise<unknown> => transaction(({ run }) => run(sendingEnd, [id, leaseToken, address, ...outcomeColumns(mail)]))

/** Returns the state, the message id and the code of a mail. */
function outcomeColumns(mail: MailOutcome): readonly [Recipient['state'], string | null, string | null] {
  if (mail.outcome === 'sent') return ['sent', mail.messageId, null]
  const states = { refused: 'failed', later: 'pending', unknown: 'unknown' } as const
  return [states[mail.outcome], null, mail.code]
}

const untriedEnding = `update table_control.job_recipients set updated_at = now(),
  state = case state when 'pending' then 'failed' else 'unknown' end,
  code = case state when 'pending' then $2 else 'interrupted' end
  where job_id = $1 and state in ('pending', 'sending')`

/** Ends the mails that were not tried, with this code, and those whose worker was interrupted. */
export const endUntriedMails = (run: Run, jobId: string, code: string): Promise<unknown> =>
  run(untriedEnding, [jobId, code])

// Mails that tell the owner of a job of its failure

const failureMailInsertion =
  'insert into table_control.failure_mails (job_id, address) values ($1, $2) on conflict do nothing'

/** Stores, in the transaction that ends a job, that its owner must receive a mail about the failure. */
export const insertFailureMail = (run: Run, jobId: string, address: string): Promise<unknown> =>
  run(failureMailInsertion, [jobId, address])

/** The mail about a failed job, which one worker sends. */
export interface ClaimedMail {
  readonly jobId: string
  readonly claimToken: string
  readonly address: string
  readonly attempts: number
}

// While the mail is sent, its code is the token of the claim.
const failureMailClaim = `update table_control.failure_mails
  set state = 'sending', code = $2, attempts = attempts + (state = 'pending')::int, updated_at = now()
  where job_id = $1 and ((state = 'pending' and (not_before is null or not_before <= now())) or (state = 'sending' and code = $2))
  returning address, attempts`

/**
 * Claims the failure mail of a job if it is due and no other worker has it. Claiming it again with the same token has
 * no effect.
 */
export async function claimFailureMail(
  { transaction }: Database,
  jobId: string,
  claimToken: string,
): Promise<ClaimedMail | undefined> {
  const [row] = await transaction(({ run }) => run(failureMailClaim, [jobId, claimToken]))
  return row && { jobId, claimToken, address: String(row[0]), attempts: Number(row[1]) }
}

const failureMailEnd = `update table_control.failure_mails
  set state = $3, message_id = $4, code = $5, updated_at = now(), enqueued_at = now(),
    not_before = now() + make_interval(secs => $6)
  where job_id = $1 and state = 'sending' and code = $2`

/** Stores the outcome of a claimed failure mail; a pending one waits for `seconds`. Storing it twice has no effect. */
export const markFailureMail = (
  { transaction }: Database,
  { jobId, claimToken }: ClaimedMail,
  mail: MailOutcome,
  seconds: number,
): Promise<unknown> =>
  transaction(({ run }) => run(failureMailEnd, [jobId, claimToken, ...outcomeColumns(mail), seconds]))

const failedJob = `select ${jobColumns}, failure, result from table_control.jobs where id = $1`

/** Reads a failed job for the mail about it. */
export async function readFailedJob(
  { read }: Database,
  jobId: string,
): Promise<{ readonly job: Job; readonly failure: Bilingual & { readonly code: string }; readonly result: unknown }> {
  const [row = []] = await read(failedJob, [jobId])
  const [failure, result] = row.slice(-2) as [(Bilingual & { readonly code: string }) | null, unknown]
  if (failure === null) throw new Error('a job that failed has no failure')
  return { job: toJob(row), failure, result }
}

/** A failure mail is not worth sending later than this. */
const maxAge = '1 day'

// A worker needs seconds for one mail, so one that has been sending for minutes has died.
const abandonment = `update table_control.failure_mails set updated_at = now(),
    state = case state when 'sending' then 'unknown' else 'failed' end,
    code = case state when 'sending' then 'interrupted' else coalesce(code, 'gave_up') end
  where (state = 'sending' and updated_at < now() - interval '5 minutes')
    or (state = 'pending' and created_at < now() - interval '${maxAge}')`

const batch = 100

const unsent = `update table_control.failure_mails set enqueued_at = now() where job_id in (
    select job_id from table_control.failure_mails where state = 'pending'
      and coalesce(enqueued_at, created_at - interval '90 seconds') < now() - interval '2 minutes'
      and (not_before is null or not_before <= now())
    order by created_at limit ${batch} for update skip locked) returning job_id`

/** Gives up failure mails that are a day old or whose worker died. Returns up to 100 jobs whose mail must be sent. */
export async function takeUnsentFailureMails({ transaction }: Database): Promise<readonly string[]> {
  const rows = await transaction(async ({ run }) => {
    await run(abandonment, [])
    return run(unsent, [])
  })
  return rows.map(([id]) => String(id))
}
