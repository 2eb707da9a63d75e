import type { ServerResponse } from 'node:http'
import type { buildApp } from 'fauxqs'
import { applyFault, type DueFault, type Faults } from '../faults.ts'

/**
 * Lets SQS and S3 fail as asked, by `action`: SQS's name of it, such as SendMessage, or S3's method, such as PUT. The
 * faults themselves are changed at /faults.
 */
export function addQueueFaults(app: ReturnType<typeof buildApp>, faults: Faults): void {
  const later = new WeakMap<ServerResponse, DueFault>()
  app.register((scope, _options, done) => {
    // The service's own parsers would take what curl sends by default for an SQS request of the query protocol.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, parsed) => parsed(null, body))
    scope.route({
      method: ['POST', 'DELETE'],
      url: '/faults',
      handler: ({ method, body }, reply) => {
        const [status, text] = faults.control(method, String(body ?? ''))
        return reply.code(status).send(text)
      },
    })
    done()
  })
  app.addHook('onRequest', async ({ method, headers, url }, reply) => {
    if (url === '/faults') return
    const target = headers['x-amz-target']
    const due = faults.take({ action: typeof target === 'string' ? target.replace(/^.*\./, '') : method })
    if (due?.when === 'after') later.set(reply.raw, due)
    else if (due !== undefined && (await applyFault(due, reply.raw, () => refuse(due, reply.raw)))) reply.hijack()
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    const due = later.get(reply.raw)
    if (due === undefined) return payload
    if (!(await applyFault(due, reply.raw, () => undefined))) return payload
    if (due.kind !== 'error') return new Promise(() => undefined)
    const { status, headers, body } = refusal(due)
    reply.removeHeader('content-length')
    reply.code(status).headers(headers)
    return body
  })
}

function refuse(due: DueFault, response: ServerResponse): void {
  const { status, headers, body } = refusal(due)
  response.writeHead(status, headers).end(body)
}

/** SQS reads the JSON, S3 the status. */
const refusal = ({ code = 'ThrottlingException', status = 400, message }: DueFault) => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-query-error': `${code};Sender` },
  body: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message }),
})
