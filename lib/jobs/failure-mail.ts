import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type Bilingual, textOf } from '../i18n/language.ts'
import { failureAdvice } from '../mail/mail-texts.ts'
import { composeReportMail, type ReportMessage } from '../mail/report-mail.ts'
import { type MailOutcome, mailSender, sendMail } from '../mail/send-mail.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { Registry } from '../table/registry.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import { type Job, jobFields, jobOf } from './job.ts'
import { labelOf } from './job-label.ts'
import { pauseSeconds } from './put-back.ts'

interface FailureMailService {
  readonly config: Config
  readonly registry: Registry
  readonly database: Database
  readonly invocation?: Invocation
}

const claim = `update table_control.failure_mails set state = 'sending', attempts = attempts + 1, updated_at = now()
  where job_id = $1 and state = 'pending' and (not_before is null or not_before <= now()) returning address, attempts`

const facts = `select ${jobFields}, failure, result from table_control.jobs where id = $1`

/**
 * Sends the mail that tells of a job's failure, if one waits. It may be called any number of times by any number of workers:
 * one of them sends it. Never rejects, because the sweep finds a mail that was not sent.
 */
export async function sendFailureMail(service: FailureMailService, jobId: string): Promise<void> {
  try {
    await sendClaimed(service, jobId)
  } catch (error) {
    const code = error instanceof Error ? error.name : typeof error
    log('warn', 'the mail about a failed job was not sent yet', { job: jobId, code })
  }
}

async function sendClaimed({ config, registry, database, invocation }: FailureMailService, jobId: string) {
  const [claimed] = await database.transaction(({ run }) => run(claim, [jobId]))
  if (claimed === undefined) return
  const [address, attempts] = [String(claimed[0]), Number(claimed[1])]
  const raw = await composeMail({ config, registry, database }, jobId, address).catch(async (error: unknown) => {
    // Nothing was sent, so another attempt cannot send it twice.
    await writeOutcome(database, jobId, { outcome: 'later', code: 'not_composed', afterSeconds: 0 }, attempts)
    throw error
  })
  const mail = await sendMail(config, raw, address)
  count(invocation, counters[mail.outcome])
  if (mail.outcome !== 'sent') {
    log('warn', 'SES did not take the mail about a failed job', { job: jobId, code: mail.code, attempt: attempts })
  }
  await writeOutcome(database, jobId, mail, attempts)
}

const counters = {
  sent: 'MailsSent',
  refused: 'MailsFailed',
  later: 'MailsDelayed',
  unknown: 'MailsUnknown',
} as const satisfies Readonly<Record<MailOutcome['outcome'], string>>

const end = `update table_control.failure_mails
  set state = $2, message_id = $3, code = $4, updated_at = now(), enqueued_at = now(),
    not_before = now() + make_interval(secs => $5)
  where job_id = $1 and state = 'sending'`

const maxPauseAttempts = 4

function writeOutcome({ transaction }: Database, jobId: string, mail: MailOutcome, attempts: number): Promise<unknown> {
  const states = { sent: 'sent', refused: 'failed', later: 'pending', unknown: 'unknown' } as const
  const [messageId, code] = mail.outcome === 'sent' ? [mail.messageId, null] : [null, mail.code]
  const pause = mail.outcome === 'later' ? mail.afterSeconds : 0
  const seconds = Math.max(pause, pauseSeconds(Math.min(attempts, maxPauseAttempts)))
  return transaction(({ run }) => run(end, [jobId, states[mail.outcome], messageId, code, seconds]))
}

async function composeMail(
  { config, registry, database }: Pick<FailureMailService, 'config' | 'registry' | 'database'>,
  jobId: string,
  address: string,
): Promise<Uint8Array> {
  const [row = []] = await database.read(facts, [jobId])
  const [failure, result] = row.slice(-2) as [(Bilingual & { readonly code: string }) | null, unknown]
  if (failure === null) throw new Error('a job that failed has no failure')
  const job = jobOf(row)
  const message = failureMessage(job, failure, result, { registry, config })
  return composeReportMail(mailSender(config), address, message)
}

function failureMessage(
  job: Job,
  failure: Bilingual & { readonly code: string },
  result: unknown,
  { registry, config }: Pick<FailureMailService, 'config' | 'registry'>,
): ReportMessage {
  const { language, requestedAt, identity, requestId } = job
  const table = registry.tables.get(job.tableName)
  const action = table?.bulkActions.find(({ key }) => key === job.action) ?? { key: job.action }
  const link = ownLink(result)
  return {
    ...{ language, requestedAt, timeZone: table?.timeZone ?? config.TIME_ZONE },
    table: textOf(table?.definition.label ?? labelFromKey(job.tableName), language),
    action: textOf(labelOf(action), language),
    requestedBy: { name: identity.email ?? identity.subject, ...(identity.email && { address: identity.email }) },
    content: {
      kind: 'failure',
      reason: failure[language],
      advice: failureAdvice(failure.code, link !== undefined, language),
      reference: requestId,
      ...(link !== undefined && { link }),
    },
  }
}

/** Returns the link to what the job has made, which its result names where mails were not sent. */
function ownLink(result: unknown) {
  const { url, filename, expires_at } = Object(Object(result)['data'])
  if (typeof url !== 'string' || typeof filename !== 'string' || typeof expires_at !== 'string') return undefined
  return { url, fileName: filename, expiresAt: new Date(expires_at) }
}
