import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../../infra/local/listen.ts'

/** The operation of a request: `sts.GetCallerIdentity`, `GET /v2/email/account`. */
export interface AwsRequest {
  readonly operation: string
  /** The parameters of a query, or the body's keys. */
  readonly input: Readonly<Record<string, unknown>>
}

/** An error that AWS answers, by its code. */
export class AwsError {
  readonly code: string
  readonly message: string
  readonly status: number

  constructor(code: string, message = code, status = 400) {
    this.code = code
    this.message = message
    this.status = status
  }
}

/**
 * The response to an operation: the output of the SDK's command, or an error. Of the protocols that answer in XML it is
 * the document's own nesting (`{ Stacks: { member: [...] } }`).
 */
export type AwsResponse = object | AwsError | ((input: AwsRequest['input']) => object | AwsError)
export type AwsResponses = Readonly<Record<string, AwsResponse>>

export interface AwsServer {
  readonly endpoint: string
  /** Replaces what is answered from now on. */
  readonly setResponses: (responses: AwsResponses) => void
  readonly stop: () => Promise<void>
}

/**
 * Speaks the protocols of AWS for the operations that it is given responses for, told apart by who signs for which
 * service. Every other operation is denied, as a missing right would be.
 */
export async function startAwsServer(): Promise<AwsServer> {
  let responses: AwsResponses = {}
  const server = createServer((request, response) => void respond(request, response, () => responses))
  const { url, stop } = await listen(server)
  return {
    endpoint: url,
    setResponses: (given) => {
      responses = given
    },
    stop,
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  responses: () => AwsResponses,
): Promise<void> {
  const service = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const { operation, input, writesXml } = read(service, request, await text(request))
  const given = responses()[operation] ?? new AwsError('AccessDenied', `${operation} is not allowed`, 403)
  const output = typeof given === 'function' ? given(input) : given
  if (output instanceof AwsError) return writeError(response, output, service, writesXml)
  if (!writesXml) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(output))
    return
  }
  const name = operation.split('.')[1]
  const body = toXml(output)
  // EC2's own protocol has no element around the result.
  const result = service === 'ec2' ? body : `<${name}Result>${body}</${name}Result>`
  response.writeHead(200, { 'content-type': 'text/xml' }).end(`<${name}Response>${result}</${name}Response>`)
}

function read(service: string, { headers, method, url = '/' }: IncomingMessage, body: string) {
  const target = headers['x-amz-target']
  if (typeof target === 'string') {
    return { operation: `${service}.${target.split('.')[1]}`, input: JSON.parse(body || '{}'), writesXml: false }
  }
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    const input = Object.fromEntries(new URLSearchParams(body))
    return { operation: `${service}.${input['Action']}`, input, writesXml: true }
  }
  return { operation: `${method} ${decodeURIComponent(url.split('?')[0] ?? '')}`, input: {}, writesXml: false }
}

function writeError(response: ServerResponse, error: AwsError, service: string, writesXml: boolean): void {
  const { code, message, status } = error
  if (!writesXml) {
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code }
    response.writeHead(status, headers).end(JSON.stringify({ __type: code, message, Message: message }))
    return
  }
  const said = `<Code>${code}</Code><Message>${message}</Message>`
  const xml =
    service === 'ec2'
      ? `<Response><Errors><Error>${said}</Error></Errors><RequestID>1</RequestID></Response>`
      : `<ErrorResponse><Error><Type>Sender</Type>${said}</Error><RequestId>1</RequestId></ErrorResponse>`
  response.writeHead(status, { 'content-type': 'text/xml' }).end(xml)
}

/** An array repeats its element. */
function toXml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return Object.entries(value)
    .flatMap(([key, one]) => (Array.isArray(one) ? one : [one]).map((each) => `<${key}>${toXml(each)}</${key}>`))
    .join('')
}
