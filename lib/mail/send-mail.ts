import type { SESClient } from '@aws-sdk/client-ses'
import type { Config } from '../config.ts'
import { type NotSent, notSent } from './not-sent.ts'

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
