import type { Database, Transaction } from '../db/database.ts'
import { comparableAddress, readMailAddress } from '../mail/mail-address.ts'
import type { Job, JobFailure } from './job.ts'
import type { Recipient } from './mail-recipients.ts'

type Run = Transaction['run']

const insertion = 'insert into table_control.failure_mails (job_id, address) values ($1, $2) on conflict do nothing'

/**
 * Stores, in the transaction that ends an e-mail job, that its requester is to be told of a failure by mail. Does nothing
 * where there is no failure, or nobody to write to. `untried` is the code of recipients to whom nothing was sent.
 */
export async function requestFailureMail(
  run: Run,
  job: Job,
  { state, failure }: { readonly state: string; readonly failure?: JobFailure },
  recipients: readonly Recipient[],
  untried: string,
): Promise<void> {
  if (job.response !== 'email' || failure === undefined || state === 'cancelled') return
  const address = readMailAddress(job.identity.email)
  if (address === undefined) return
  const own = recipients.find((one) => comparableAddress(one.address) === comparableAddress(address))
  // An address that SES has refused for good would be refused again.
  if (own?.state === 'failed' && own.code !== untried) return
  await run(insertion, [job.id, address])
}

/** How long a mail about a failure is still worth sending. */
const maxAge = '1 day'

// A worker needs seconds for one mail: one that is still being sent after minutes has lost its worker.
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

/** Gives up mails that lost their worker, and returns the jobs whose mail has to be sent by a worker. */
export async function findUnsentFailureMails({ transaction }: Database): Promise<readonly string[]> {
  const rows = await transaction(async ({ run }) => {
    await run(abandonment, [])
    return run(unsent, [])
  })
  return rows.map(([id]) => String(id))
}
