import type { SESClient } from '@aws-sdk/client-ses'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'

type MailConfig = Pick<Config, 'MAIL_SENDER' | 'MAIL_CONFIGURATION_SET'>

/**
 * The outcome of one mail. Only `later` may be sent again: SES has no key by which it would recognize a repeated mail.
 */
export type MailOutcome = { readonly outcome: 'sent'; readonly messageId: string } | FailedOutcome

/**
 * Sends one mail to one recipient by one request to SES, within 25 seconds. Failures of SES and of the connection are
 * outcomes; rejects only without MAIL_SENDER. `jobId` becomes the tag `job_id` of SES's events.
 */
export async function sendMail(config: MailConfig, raw: Uint8Array, to: string, jobId?: string): Promise<MailOutcome> {
  const { MAIL_CONFIGURATION_SET: set } = config
  const { address: source } = mailSender(config)
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
    return classifySesError(error)
  }
}

export interface MailSender {
  readonly name: string
  readonly address: string
}

/**
 * Reads MAIL_SENDER, as `Name <address>` or an address alone. The name may be quoted, but needs no quotes. Throws if
 * the setting is missing.
 */
export function mailSender({ MAIL_SENDER }: Pick<Config, 'MAIL_SENDER'>): MailSender {
  if (MAIL_SENDER === undefined) throw new Error('The setting MAIL_SENDER is missing')
  const [, name = '', address = MAIL_SENDER] = /^(.*)<(.+)>\s*$/.exec(MAIL_SENDER) ?? []
  const unquoted = name.trim().replace(/^"(.*)"$/, (_, quoted: string) => quoted.replace(/\\(.)/g, '$1'))
  return { name: unquoted, address: address.trim() }
}

interface MailClient {
  readonly client: SESClient
  readonly SendRawEmailCommand: typeof import('@aws-sdk/client-ses').SendRawEmailCommand
}

const clients = new WeakMap<MailConfig, Promise<MailClient>>()

/**
 * Returns the one client of a configuration. The SDK reads region, credentials and AWS_ENDPOINT_URL_SES from the
 * environment.
 */
function mailClient(config: MailConfig): Promise<MailClient> {
  const client = clients.get(config) ?? openClient()
  clients.set(config, client)
  return client
}

async function openClient(): Promise<MailClient> {
  const { SESClient, SendRawEmailCommand } = await import('@aws-sdk/client-ses')
  // A kept connection that has died would make a mail `unknown`.
  const agent = { keepAlive: false }
  const requestHandler = {
    connectionTimeout: 2_000,
    requestTimeout: 20_000,
    throwOnRequestTimeout: true,
    httpAgent: agent,
    httpsAgent: agent,
  }
  // The SDK would repeat a request that SES may have accepted.
  return { client: new SESClient({ maxAttempts: 1, requestHandler }), SendRawEmailCommand }
}

type FailedOutcome =
  /** SES refused this mail for good. */
  | { readonly outcome: 'refused'; readonly code: string }
  /** SES did not take the mail. It may be sent again after `afterSeconds`. */
  | { readonly outcome: 'later'; readonly code: string; readonly afterSeconds: number }
  /** SES may have taken the mail. Sending it again could deliver it twice. */
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

/** Classifies an error of the SES client. Keeps codes only, because messages of SES name addresses. */
function classifySesError(error: unknown): FailedOutcome {
  const parsed = failure.safeParse(error)
  if (!parsed.success) return { outcome: 'unknown', code: 'Error' }
  const status = parsed.data.$metadata?.httpStatusCode
  return status !== undefined && status >= 400
    ? classifyResponse(parsed.data, status)
    : classifyConnectionError(parsed.data)
}

const throttlingCodes: ReadonlySet<string> = new Set([
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'LimitExceededException',
])

/** Faults of the service's rights or clock, which an operator repairs: the mail itself is good. */
const rightsCodes: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'OptInRequired',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
])

function classifyResponse({ name: code, message }: Failure, status: number): FailedOutcome {
  if (throttlingCodes.has(code) || status === 429) {
    return createDelayedOutcome(code, /quota/i.test(message) ? quotaSeconds : spreadSeconds())
  }
  // With this code SES took no request at all. Any other 5xx may follow a mail that it took.
  if (status === 503 && code === 'ServiceUnavailable') return createDelayedOutcome(code, spreadSeconds())
  if (status >= 500) return { outcome: 'unknown', code }
  if (rightsCodes.has(code)) return createDelayedOutcome(code, rightsSeconds)
  if (status === 408) return createDelayedOutcome(code, spreadSeconds())
  return { outcome: 'refused', code }
}

/** Errors of a connection that has not carried a request yet. */
const connectCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EMFILE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])
const connectCodePrefixes = ['EAI_', 'CERT_', 'UNABLE_TO_']

/** The client has one name for resets and for all of its time-outs; only this text says that nothing was connected. */
const neverConnected = /did not establish a connection/

function classifyConnectionError({ name, code = name, message, syscall }: Failure): FailedOutcome {
  if (name === 'CredentialsProviderError') return createDelayedOutcome(name, rightsSeconds)
  const isBeforeRequest =
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    connectCodes.has(code) ||
    connectCodePrefixes.some((prefix) => code.startsWith(prefix)) ||
    (name === 'TimeoutError' && neverConnected.test(message))
  return isBeforeRequest ? createDelayedOutcome(code, connectSeconds + spreadSeconds()) : { outcome: 'unknown', code }
}

const createDelayedOutcome = (code: string, afterSeconds: number): FailedOutcome => ({
  outcome: 'later',
  code,
  afterSeconds,
})

/** Returns 1 to 10 seconds, so that workers that were refused together do not come back together. */
const spreadSeconds = (): number => 1 + Math.floor(Math.random() * 10)
