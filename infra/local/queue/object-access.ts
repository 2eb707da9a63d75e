import type { buildApp } from 'fauxqs'

/** Paths of the tool and of this project that are neither SQS nor S3. */
export const ownPaths = /^\/(?:faults|health|_fauxqs\/.*)?$/

/** Keeps objects private, as S3 does: refuses requests without a signature, and signed URLs that have expired. */
export function keepObjectsPrivate(app: ReturnType<typeof buildApp>): void {
  app.addHook('onRequest', async ({ url, headers }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    if (ownPaths.test(pathname) || headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return
    const message = searchParams.has('X-Amz-Signature') ? expiry(searchParams) : 'Access Denied'
    if (message !== undefined) return reply.code(403).type('application/xml').send(accessDenied(message))
  })
}

/** Returns the body of a refusal of S3. */
export const accessDenied = (message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`

/** Lets pages of any origin use signed URLs, as the bucket of a stage does. */
export function admitPages(app: ReturnType<typeof buildApp>): void {
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

function expiry(query: URLSearchParams): string | undefined {
  const signedAt = (query.get('X-Amz-Date') ?? '').replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const validMs = Number(query.get('X-Amz-Expires')) * 1_000
  return Date.now() < Date.parse(signedAt) + validMs ? undefined : 'Request has expired'
}
