import type { IncomingHttpHeaders } from 'node:http'
import type { buildApp } from 'fauxqs'
import * as z from 'zod'
import { type AskedAccess, type Authorize, readAccessKey } from '../authorize.ts'
import { errorBody, ownPaths } from './object-access.ts'
import { queueArn } from './queue-definition.ts'

type App = ReturnType<typeof buildApp>

/** The parts of a request that decide its permission. */
interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

const aboutQueue = z.object({ QueueUrl: z.string() })

/** S3 actions by method, without those of multipart uploads. */
const objectActions: Readonly<Record<string, string>> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  POST: 's3:PutObject',
  DELETE: 's3:DeleteObject',
}

/** Refuses what the one who has signed a request is not allowed to do, in the words of SQS or S3. */
export function askForPermission(app: App, authorize: Authorize): void {
  app.addHook('preHandler', async (request, reply) => {
    const asked = readRequestedAccess(request)
    if (asked === undefined || authorize(asked)) return
    const message = `User: ${asked.accessKeyId} is not authorized to perform: ${asked.action} on ${asked.resources}`
    if (asked.action.startsWith('s3:'))
      return reply.code(403).type('application/xml').send(errorBody('AccessDenied', message))
    const body = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message })
    return reply
      .code(403)
      .header('x-amzn-query-error', 'AccessDenied;Sender')
      .type('application/x-amz-json-1.0')
      .send(body)
  })
}

function readRequestedAccess({ method, url, headers, body }: SignedRequest): AskedAccess | undefined {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const accessKeyId = readAccessKey(headers.authorization, searchParams.get('X-Amz-Credential'))
  const target = headers['x-amz-target']
  if (typeof target === 'string') {
    const { data } = aboutQueue.safeParse(typeof body === 'string' ? JSON.parse(body) : body)
    const name = data?.QueueUrl.split('/').at(-1) ?? ''
    return {
      accessKeyId,
      action: `sqs:${target.replace(/^.*\./, '').replace(/Batch$/, '')}`,
      resources: [queueArn(name)],
    }
  }
  if (ownPaths.test(pathname)) return undefined
  const aborts = method === 'DELETE' && searchParams.has('uploadId')
  const action = aborts ? 's3:AbortMultipartUpload' : (objectActions[method] ?? 's3:*')
  return { accessKeyId, action, resources: [`arn:aws:s3:::${decodeURIComponent(pathname.slice(1))}`] }
}
