import { audience, issuer } from './identity/mint-token.ts'
import type { LocalParts } from './local-parts.ts'

/** The content of stack.json: the running stack for other programs. */
export interface StackFacts {
  readonly base_url: string
  /** Absent where the stage does not have the page. */
  readonly explorer_url?: string
  /** As the owner of the tables; the functions log in by a role that may do less. */
  readonly database_url: string
  readonly jwks_url: string
  readonly issuer: string
  readonly audience: string
  readonly websocket_url: string
  /** A page; `/store` below it lists the mails as JSON. */
  readonly mailbox_url: string
  readonly queue_url: string
  readonly dead_letter_queue_url: string
  readonly sqs_endpoint: string
  readonly s3_endpoint: string
  /** It also takes `/faults` and `/envelopes`. */
  readonly ses_endpoint: string
  readonly pid: number
}

export const stackFacts = (
  { ownerUrl, jwksUrl, queue, mail }: LocalParts,
  baseUrl: string,
  webSocketUrl: string,
): StackFacts => ({
  base_url: baseUrl,
  database_url: ownerUrl,
  jwks_url: jwksUrl,
  issuer,
  audience,
  websocket_url: webSocketUrl,
  mailbox_url: mail.mailboxUrl,
  queue_url: queue.queueUrl,
  dead_letter_queue_url: queue.deadLetterQueueUrl,
  sqs_endpoint: queue.endpoint,
  s3_endpoint: queue.endpoint,
  ses_endpoint: mail.endpoint,
  pid: process.pid,
})
