import type { SESClient } from '@aws-sdk/client-ses'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'

type MailConfig = Pick<Config, 'MAIL_SENDER' | 'MAIL_CONFIGURATION_SET'>

/** What came of one mail. Only `later` may be sent again: SES cannot be told that a mail is the same as one before. */
export type MailOutcome = { readonly outcome: 'sent'; readonly messageId: string } | NotSent

/**
 * Gives one mail to SES, once, for one recipient. It never rejects over what SES or the way to it does, and takes at most
 * 25 seconds. `jobId` becomes the tag `job_id`, by which events of SES find their job. Rejects only where the deployment has no
 * MAIL_SENDER.
 */
export async function sendMail(config: MailConfig, raw: Uint8Array, to: string, jobId?: string): Promise<MailOutcome> {
  const { MAIL_CONFIGURATION_SET: set } = config
  const source = senderAddress(mailSender(config))
  const { client, SendRawEmailCommand } = await mailClient(config)
  const command = new SendRawEmailCommand({
    Source: source,
    Destinations: [to],
    RawMessage: { Data: raw },
    ...(set !== undefined && { ConfigurationSetName: set }),
    ...(jobId !== undefined && { Tags: [{ Name: 'job_id', Value: jobId }] }),
  })
  try {
    const { MessageId } = await client.send(command)
    return { outcome: 'sent', messageId: MessageId ?? '' }
  } catch (error) {
    return notSent(error)
  }
}

/** From whom mails come, as "Name <address>" or an address alone. Throws where the deployment does not say it. */
export function mailSender({ MAIL_SENDER }: Pick<Config, 'MAIL_SENDER'>): string {
  if (MAIL_SENDER === undefined) throw new Error('The setting MAIL_SENDER is missing')
  return MAIL_SENDER
}

const senderAddress = (sender: string): string => /<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender

interface MailClient {
  readonly client: SESClient
  readonly SendRawEmailCommand: typeof import('@aws-sdk/client-ses').SendRawEmailCommand
}

const known = new WeakMap<MailConfig, Promise<MailClient>>()

/** The client of this deployment, made at its first use. Region, credentials and AWS_ENDPOINT_URL_SES are the environment's. */
function mailClient(config: MailConfig): Promise<MailClient> {
  const client = known.get(config) ?? openClient()
  known.set(config, client)
  return client
}

async function openClient(): Promise<MailClient> {
  const { SESClient, SendRawEmailCommand } = await import('@aws-sdk/client-ses')
  // A connection that was kept and has died meanwhile looks like a mail whose fate is unknown.
  const agent = { keepAlive: false }
  const requestHandler = {
    connectionTimeout: 2_000,
    requestTimeout: 20_000,
    throwOnRequestTimeout: true,
    httpAgent: agent,
    httpsAgent: agent,
  }
  // The SDK would repeat what may have been accepted.
  return { client: new SESClient({ maxAttempts: 1, requestHandler }), SendRawEmailCommand }
}

export type NotSent =
  /** SES does not want this mail, and will not another time. */
  | { readonly outcome: 'refused'; readonly code: string; readonly permanent: true }
  /** Certainly not sent; may be tried again after so many seconds. */
  | { readonly outcome: 'later'; readonly code: string; readonly afterSeconds: number }
  /** It may have been sent: to send it again could mean twice. */
  | { readonly outcome: 'unknown'; readonly code: string }

const failure = z.object({
  name: z.catch(z.string(), 'Error'),
  message: z.catch(z.string(), ''),
  code: z.catch(z.optional(z.string()), undefined),
  syscall: z.catch(z.optional(z.string()), undefined),
  $metadata: z.catch(z.optional(z.object({ httpStatusCode: z.optional(z.int()) })), undefined),
})

type Failure = z.infer<typeof failure>

const quotaSeconds = 3_600
const rightsSeconds = 300
const connectSeconds = 5

/** What an error of the SES client means for the mail. Codes only: messages of SES name addresses. */
export function notSent(error: unknown): NotSent {
  const parsed = failure.safeParse(error)
  if (!parsed.success) return { outcome: 'unknown', code: 'Error' }
  const status = parsed.data.$metadata?.httpStatusCode
  return status !== undefined && status >= 400 ? answered(parsed.data, status) : unanswered(parsed.data)
}

const throttling =
  /^(Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|LimitExceededException)$/

/** Of the service's rights or clock, not of the mail: whoever repairs them gets the mail out. */
const ofRights =
  /^(AccessDenied(Exception)?|ExpiredToken(Exception)?|IncompleteSignature|InvalidClientTokenId|InvalidSignatureException|MissingAuthenticationToken(Exception)?|OptInRequired|RequestExpired|SignatureDoesNotMatch|UnrecognizedClientException)$/

function answered({ name: code, message }: Failure, status: number): NotSent {
  if (throttling.test(code) || status === 429) {
    return later(code, /quota/i.test(message) ? quotaSeconds : someSeconds())
  }
  // SES says so where it took no request at all. Any other fault of the server may have happened after it took the mail.
  if (status === 503 && code === 'ServiceUnavailable') return later(code, someSeconds())
  if (status >= 500) return { outcome: 'unknown', code }
  if (ofRights.test(code)) return later(code, rightsSeconds)
  if (status === 408) return later(code, someSeconds())
  return { outcome: 'refused', code, permanent: true }
}

/** Errors of a connection that has not carried a request yet. */
const beforeConnecting =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EMFILE|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** The client calls a reset and each of its own timeouts the same; only this text tells that nothing was connected. */
const neverConnected = /did not establish a connection/

function unanswered({ name, code, message, syscall }: Failure): NotSent {
  if (name === 'CredentialsProviderError') return later(name, rightsSeconds)
  const certainly =
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    (code !== undefined && beforeConnecting.test(code)) ||
    (name === 'TimeoutError' && neverConnected.test(message))
  return certainly ? later(code ?? name, connectSeconds + someSeconds()) : { outcome: 'unknown', code: code ?? name }
}

const later = (code: string, afterSeconds: number): NotSent => ({ outcome: 'later', code, afterSeconds })

/** Spread, so that workers who were refused together do not come back together. */
const someSeconds = (): number => 1 + Math.floor(Math.random() * 10)
