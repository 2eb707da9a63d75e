import { hash } from 'node:crypto'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

/**
 * Adds an ETag, by default that of the body, to a response, or replaces the response by 304 if the client already holds
 * it.
 */
export function addEntityTag(
  response: APIGatewayProxyStructuredResultV2,
  ifNoneMatch: string | undefined,
  tag = createEntityTag(response.body ?? ''),
): APIGatewayProxyStructuredResultV2 {
  const headers = {
    ...response.headers,
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'origin, authorization, ln, accept-language, accept-encoding',
  }
  if (!matchesTag(ifNoneMatch, tag)) return { ...response, headers }
  const { 'content-type': _, ...kept } = headers as Record<string, string>
  return { statusCode: 304, headers: kept }
}

/** Weak, because a compressed body has the same tag. */
const createEntityTag = (body: string): string => `W/"${hash('sha256', body, 'base64url').slice(0, 27)}"`

/** Compares weakly: `W/"a"` and `"a"` are the same. */
export const matchesTag = (ifNoneMatch = '', tag: string): boolean =>
  ifNoneMatch.split(',').some((candidate) => candidate.trim() === '*' || opaque(candidate.trim()) === opaque(tag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')
