import { createHash } from 'node:crypto'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

/** Adds an ETag to an answer, and replaces it by 304 where the client already holds it. */
export function withEntityTag(
  response: APIGatewayProxyStructuredResultV2,
  ifNoneMatch: string | undefined,
): APIGatewayProxyStructuredResultV2 {
  const tag = `"${createHash('sha256')
    .update(response.body ?? '')
    .digest('base64url')
    .slice(0, 27)}"`
  const headers = {
    ...response.headers,
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'authorization, ln, accept-language',
  }
  if (!matches(ifNoneMatch, tag)) return { ...response, headers }
  const { 'content-type': _, ...kept } = headers as Record<string, string>
  return { statusCode: 304, headers: kept }
}

const matches = (ifNoneMatch = '', tag: string): boolean =>
  ifNoneMatch.split(',').some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === tag)
