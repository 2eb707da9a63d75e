import type { buildApp } from 'fauxqs'
import { findSignatureFault } from './signed-url.ts'

type App = ReturnType<typeof buildApp>

/** Paths of the tool and of this project that are neither SQS nor S3. */
export const ownPaths = /^\/(?:faults|health|_fauxqs\/.*)?$/

/**
 * Keeps objects private, as S3 does: refuses requests without a signature, and signed URLs that have expired or are
 * used for something else than what was signed.
 */
export function keepObjectsPrivate(app: App): void {
  app.addHook('onRequest', async ({ method = '', url, headers }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    if (ownPaths.test(pathname) || headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return
    const fault = searchParams.has('X-Amz-Signature')
      ? findSignatureFault({ method, url, headers })
      : (['AccessDenied', 'Access Denied'] as const)
    if (fault !== undefined)
      return reply
        .code(403)
        .type('application/xml')
        .send(errorBody(...fault))
  })
}

/** Refuses a part with a checksum, as S3 does where an upload began without one: so does each upload of the service. */
export function refusePartChecksums(app: App): void {
  app.addHook('onRequest', async ({ method, url, headers }, reply) => {
    const { searchParams } = new URL(url, 'http://127.0.0.1')
    if (method !== 'PUT' || !searchParams.has('uploadId')) return
    const [, type] = Object.keys(headers).flatMap((name) => /^x-amz-checksum-(.*)$/.exec(name) ?? [])
    if (type === undefined) return
    const message = `Checksum Type mismatch occurred, expected checksum Type: null, actual checksum Type: ${type}`
    return reply.code(400).type('application/xml').send(errorBody('InvalidRequest', message))
  })
}

/** Says of an object that is not there what S3 says to everybody who may not list the bucket, as no function may. */
export function hideMissingObjects(app: App): void {
  app.addHook('onSend', async ({ method, url }, reply, payload) => {
    const isRead = (method === 'GET' || method === 'HEAD') && /^\/[^/?]+\/[^?]/.test(url)
    if (!isRead || reply.statusCode !== 404) return payload
    reply.code(403).removeHeader('content-length')
    return method === 'HEAD' ? payload : errorBody('AccessDenied', 'Access Denied')
  })
}

/** Returns the body of a refusal of S3. */
export const errorBody = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** Lets pages of any origin use signed URLs, as the bucket of a stage does. */
export function admitPages(app: App): void {
  app.addHook('onRequest', async ({ method, url, headers }, reply) => {
    const { searchParams } = new URL(url, 'http://127.0.0.1')
    if (headers.origin === undefined || !searchParams.has('X-Amz-Signature')) return
    reply.raw.setHeader('access-control-allow-origin', '*')
    // The typed client names the file by it.
    reply.raw.setHeader('access-control-expose-headers', 'content-disposition')
    if (method !== 'OPTIONS') return
    const allowed = {
      'access-control-allow-methods': 'GET, HEAD, PUT',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '7200',
    }
    return reply.code(200).headers(allowed).send()
  })
}
