import { refused } from './token-refusal.ts'

/** The longest token that is looked at, in characters; API Gateway lets no more than 10,240 bytes of headers through. */
export const longestToken = 8_192

const bearer = /^bearer +([\w.~+/-]+=*)$/i
const longestScheme = 16

/**
 * The token of an `Authorization: Bearer <token>` header, unverified. Throws `unauthenticated` for a missing header,
 * another scheme, more than one token (repeated headers arrive joined by a comma) and anything longer than 8 KB.
 */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw refused('missing')
  if (header.length > longestToken + longestScheme) throw refused('oversized')
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw refused('malformed')
  if (token.length > longestToken) throw refused('oversized')
  return token
}
