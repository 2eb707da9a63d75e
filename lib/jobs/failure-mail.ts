import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { failureAdvice } from '../mail/mail-texts.ts'
import { composeReportMail, type ReportMessage } from '../mail/report-mail.ts'
import { type MailOutcome, mailSender, sendMail } from '../mail/send-mail.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import { findTable } from '../table/registry.ts'
import { count } from '../telemetry/invocation.ts'
import { errorName, log } from '../telemetry/log.ts'
import { actionLabel, type Job, type JobWorker } from './job.ts'
import { type ClaimedMail, claimFailureMail, markFailureMail, readFailedJob } from './mail-store.ts'
import { pauseSeconds, retryWrite } from './retry-policy.ts'

type FailureMailService = Omit<JobWorker, 'work'>

/**
 * Sends the mail that tells of a job's failure, if one is due. Any number of workers may call this; one of them sends
 * it. Never rejects: the sweep sends a mail that was not sent, and gives up one that may have been sent.
 */
export async function sendFailureMail(service: FailureMailService, jobId: string): Promise<void> {
  try {
    await sendClaimedMail(service, jobId)
  } catch (error) {
    log(
      'warn',
      'the mail about a failed job was not sent, or its outcome was not stored; the sweep tries it again or gives it up',
      {
        job: jobId,
        code: errorName(error),
      },
    )
  }
}

async function sendClaimedMail(service: FailureMailService, jobId: string): Promise<void> {
  const { config, database, invocation } = service
  if (config.MAIL === 'off') return
  const claimed = await claimMail(database, jobId)
  if (claimed === undefined) return
  const { address, attempts } = claimed
  const raw = await composeMail(service, jobId, address).catch(async (error: unknown) => {
    // Another attempt cannot send the mail twice, because nothing was sent.
    await storeOutcome(database, claimed, { outcome: 'later', code: 'not_composed', afterSeconds: 0 })
    throw error
  })
  const mail = await sendMail(config, raw, address)
  count(invocation, counters[mail.outcome])
  if (mail.outcome !== 'sent') {
    log('warn', unsentMessages[mail.outcome], { job: jobId, code: mail.code, attempt: attempts })
  }
  await storeOutcome(database, claimed, mail)
}

/** Claims a mail. A claim of unknown outcome is repeated, because no other worker sends the mail if it was stored. */
async function claimMail(database: Database, jobId: string): Promise<ClaimedMail | undefined> {
  const claimToken = randomUUID()
  const claim = () => claimFailureMail(database, jobId, claimToken)
  return claim().catch((error: unknown) => {
    if (!(error instanceof RequestError && error.code === 'outcome_unknown')) throw error
    return retryWrite(claim)
  })
}

const counters = {
  sent: 'MailsSent',
  refused: 'MailsFailed',
  later: 'MailsDelayed',
  unknown: 'MailsUnknown',
} as const satisfies Readonly<Record<MailOutcome['outcome'], string>>

const unsentMessages = {
  refused: 'SES refused the mail about a failed job for good; its code says what to correct',
  later: 'SES does not take the mail about a failed job now; it is tried again',
  unknown: 'SES did not say whether it took the mail about a failed job; it is not sent again',
} as const

const maxPauseAttempts = 4

function storeOutcome(database: Database, claimed: ClaimedMail, mail: MailOutcome): Promise<unknown> {
  const pause = mail.outcome === 'later' ? mail.afterSeconds : 0
  const seconds = Math.max(pause, pauseSeconds(Math.min(claimed.attempts, maxPauseAttempts)))
  return retryWrite(() => markFailureMail(database, claimed, mail, seconds))
}

async function composeMail(
  { config, registry, database }: FailureMailService,
  jobId: string,
  address: string,
): Promise<Uint8Array> {
  const { job, failure, result } = await readFailedJob(database, jobId)
  const table = await findTable(registry, job.tableName)
  const message = failureMessage(job, failure, result, { table, config })
  return composeReportMail(mailSender(config), address, message)
}

function failureMessage(
  job: Job,
  failure: Bilingual & { readonly code: string },
  result: unknown,
  { table, config }: { readonly table: CompiledTable | undefined; readonly config: Pick<Config, 'TIME_ZONE'> },
): ReportMessage {
  const { language, requestedAt, identity, requestId } = job
  const action = table?.bulkActions.find(({ key }) => key === job.action) ?? { key: job.action }
  const link = ownerLink(result)
  return {
    language,
    requestedAt,
    timeZone: table?.timeZone ?? config.TIME_ZONE,
    table: translate(table?.definition.label ?? labelFromKey(job.tableName), language),
    action: translate(actionLabel(action), language),
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

/** Returns the owner's link to the report file, which the result has if mails were not sent. */
function ownerLink(result: unknown) {
  const { url, filename, expires_at } = Object(Object(result)['data'])
  if (typeof url !== 'string' || typeof filename !== 'string' || typeof expires_at !== 'string') return undefined
  return { url, fileName: filename, expiresAt: new Date(expires_at) }
}
