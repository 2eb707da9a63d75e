import type { ServerResponse } from 'node:http'
import type { SesRefusal } from './ses-limits.ts'

const namespace = 'xmlns="http://ses.amazonaws.com/doc/2010-12-01/"'

/** Answers SendRawEmail as SES does when it has accepted the mail. */
export function sendAccepted(response: ServerResponse, requestId: string, messageId: string): void {
  const result = `<SendRawEmailResult><MessageId>${messageId}</MessageId></SendRawEmailResult>`
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`
  send(response, 200, requestId, `<SendRawEmailResponse ${namespace}>${result}${metadata}</SendRawEmailResponse>`)
}

/** Answers with an error of SES's query protocol. */
export function sendRefused(response: ServerResponse, requestId: string, { code, message, status }: SesRefusal): void {
  const type = status < 500 ? 'Sender' : 'Receiver'
  const error = `<Error><Type>${type}</Type><Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message></Error>`
  const request = `<RequestId>${requestId}</RequestId>`
  send(response, status, requestId, `<ErrorResponse ${namespace}>${error}${request}</ErrorResponse>`)
}

function send(response: ServerResponse, status: number, requestId: string, body: string): void {
  response.writeHead(status, { 'content-type': 'text/xml', 'x-amzn-requestid': requestId }).end(body)
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
