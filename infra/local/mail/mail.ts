import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type AskedAccess, type Authorize, authorizeAll, readAccessKey } from '../authorize.ts'
import { applyFault, createFaults, type DueFault, type Faults } from '../faults.ts'
import { listen } from '../listen.ts'
import { localArn } from '../local-account.ts'
import { bareAddresses, headerAddresses, readMailHeaders, withRecipients } from './mail-headers.ts'
import { type Mailbox, type ShownMail, startMailbox } from './mailbox.ts'
import { findRefusal, type Recipients, readEnvelope } from './ses-limits.ts'
import { type RawEmailRequest, readAction, readRawEmail } from './ses-request.ts'
import { sendAccepted, sendRefused } from './ses-response.ts'

/** A mail that was accepted, with the addresses of its envelope. */
export interface Envelope {
  readonly messageId: string
  readonly source: string
  readonly destinations: readonly string[]
  readonly tags: Readonly<Record<string, string>>
  readonly configurationSet?: string
  readonly acceptedAt: string
  /** Size of the MIME message in bytes. */
  readonly size: number
  readonly raw: Buffer
}

export interface Mail {
  /**
   * Endpoint of SES. It also serves `POST /faults`, `DELETE /faults`, `GET /envelopes` and `GET
   * /envelopes/{messageId}.eml`.
   */
  readonly endpoint: string
  /** A page of all mails. */
  readonly mailboxUrl: string
  /** In the order they were accepted. */
  readonly envelopes: () => readonly Envelope[]
  readonly faults: Faults
  readonly ended: Promise<unknown>
  readonly stop: () => Promise<void>
}

interface MailService {
  readonly mailbox: Mailbox
  readonly accepted: Envelope[]
  readonly maxKeptBytes: number
  readonly faults: Faults
  readonly authorize: Authorize
}

const defaultKeptBytes = 64_000_000

export interface MailOptions {
  /** Decides who may send what; default: no restriction. */
  readonly authorize?: Authorize
  /** How much of the mails is kept: the oldest go first, but never the last one. Default: 64 MB. */
  readonly maxKeptBytes?: number
}

/** Starts SES's SendRawEmail on 127.0.0.1, with SES's limits and a mailbox that shows what was accepted. */
export async function startMail(options: MailOptions = {}): Promise<Mail> {
  const { authorize = authorizeAll, maxKeptBytes = defaultKeptBytes } = options
  const accepted: Envelope[] = []
  const mailbox = await startMailbox(() => accepted.map(toShownMail))
  const service: MailService = { mailbox, accepted, maxKeptBytes, faults: createFaults(), authorize }
  const server = createServer((request, response) => {
    handleRequest(service, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else sendRefused(response, randomUUID(), { code: 'InternalFailure', message: String(error), status: 500 })
    })
  })
  const { url, ended, stop } = await listen(server)
  return {
    endpoint: url,
    mailboxUrl: mailbox.url,
    envelopes: () => [...service.accepted],
    faults: service.faults,
    ended: Promise.race([ended, mailbox.ended]),
    stop: async () => {
      await stop()
      await mailbox.stop()
    },
  }
}

async function handleRequest(service: MailService, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '/', headers } = request
  const body = await buffer(request)
  if (url === '/faults') {
    const [status, text] = service.faults.control(method, body.toString())
    response.writeHead(status).end(text)
  } else if (method === 'GET') sendEnvelopes(service, url, response)
  else if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) {
    const message = 'Request is missing Authentication Token'
    sendRefused(response, randomUUID(), { code: 'MissingAuthenticationToken', message, status: 403 })
  } else {
    const form = new URLSearchParams(body.toString('latin1'))
    await takeAction(service, readAccessKey(headers.authorization), form, response)
  }
}

async function takeAction(
  service: MailService,
  accessKeyId: string,
  form: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomUUID()
  const refuse = (code: string, message: string, status = 400) =>
    sendRefused(response, requestId, { code, message, status })
  const action = readAction(form)
  if (action !== 'SendRawEmail') {
    return refuse('InvalidAction', `Could not find operation ${action} for version 2010-12-01`)
  }
  const asked = readRawEmail(form)
  if (asked === undefined) return refuse('ValidationError', "Value null at 'rawMessage' must not be null")
  const envelope = readEnvelope(asked)
  if (!service.authorize(sending(accessKeyId, asked, envelope)))
    return refuse('AccessDenied', 'User is not authorized', 403)
  const due = service.faults.take({ recipients: envelope.destinations.flatMap(bareAddresses) })
  const fail = ({ code = 'Throttling', message, status = 400 }: DueFault) => refuse(code, message, status)
  if (due?.when === 'before' && (await applyFault(due, response, () => fail(due)))) return
  const refusal = findRefusal(asked, envelope)
  if (refusal !== undefined) return sendRefused(response, requestId, refusal)
  const messageId = await accept(service, asked, envelope)
  if (due?.when === 'after' && (await applyFault(due, response, () => fail(due)))) return
  sendAccepted(response, requestId, messageId)
}

/** Sending needs the right to the identity of the sender, which here is a domain, and to the configuration set. */
function sending(accessKeyId: string, { configurationSet }: RawEmailRequest, { source }: Recipients): AskedAccess {
  const [from = ''] = bareAddresses(source)
  const identity = localArn('ses', `identity/${from.slice(from.lastIndexOf('@') + 1)}`)
  const set = configurationSet === undefined ? [] : [localArn('ses', `configuration-set/${configurationSet}`)]
  const context = { 'ses:FromAddress': from }
  return { accessKeyId, action: 'ses:SendRawEmail', resources: [identity, ...set], context }
}

async function accept(service: MailService, asked: RawEmailRequest, envelope: Recipients): Promise<string> {
  const { raw, tags, configurationSet } = asked
  const facts = {
    messageId: randomUUID(),
    ...envelope,
    tags,
    ...(configurationSet !== undefined && { configurationSet }),
    acceptedAt: new Date().toISOString(),
    size: raw.length,
  }
  // Texts that were cut out of the request keep all of it in memory; a copy does not.
  const kept = { ...structuredClone(facts), raw }
  keepEnvelope(service, kept)
  await service.mailbox.show(toShownMail(kept))
  return kept.messageId
}

function keepEnvelope({ accepted, maxKeptBytes }: MailService, envelope: Envelope): void {
  accepted.push(envelope)
  let bytes = accepted.reduce((sum, { size }) => sum + size, 0)
  while (bytes > maxKeptBytes && accepted.length > 1) bytes -= accepted.shift()?.size ?? 0
}

const toShownMail = ({ messageId, acceptedAt, raw, destinations }: Envelope): ShownMail => ({
  messageId,
  acceptedAt,
  raw: withEnvelopeRecipients(raw, destinations),
})

/** Writes the recipients of the envelope into the header, which is all that the mailbox reads. */
function withEnvelopeRecipients(raw: Buffer, destinations: readonly string[]): Buffer {
  const written = headerAddresses(readMailHeaders(raw), ['to', 'cc', 'bcc'])
  const envelope = destinations.flatMap(bareAddresses)
  return addressSet(written) === addressSet(envelope) ? raw : withRecipients(raw, destinations)
}

const addressSet = (addresses: readonly string[]) =>
  [...new Set(addresses.map((one) => one.toLowerCase()))].sort().join(',')

function sendEnvelopes({ accepted }: MailService, url: string, response: ServerResponse): void {
  const mail = accepted.find(({ messageId }) => url === `/envelopes/${encodeURIComponent(messageId)}.eml`)
  if (mail !== undefined) response.writeHead(200, { 'content-type': 'message/rfc822' }).end(mail.raw)
  else if (url === '/envelopes') {
    const list = accepted.map(({ raw: _raw, ...envelope }) => envelope)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
  } else response.writeHead(404).end()
}
