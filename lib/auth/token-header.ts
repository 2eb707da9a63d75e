import { supportedSignatureAlgorithms } from 'aws-jwt-verify/jwt-verifier'
import * as z from 'zod/mini'
import { longestToken } from './bearer-token.ts'
import { longestKid } from './jwks-document.ts'
import { refused } from './token-refusal.ts'

// `crit` lists extensions that must be understood (RFC 7515, 4.1.11); none is. `jku`, `jwk` and `x5u` are never followed.
const header = z.object({
  alg: z.enum(supportedSignatureAlgorithms),
  kid: z.string().check(z.minLength(1), z.maxLength(longestKid)),
  crit: z.optional(z.never()),
})

/** What a token says about its own signature, not verified yet. */
export type TokenHeader = z.infer<typeof header>

/**
 * Makes a reader of the first part of tokens, which throws `unauthenticated` when no key could make it that of a good token.
 * It remembers the newest one, because all tokens that one key signed begin alike.
 */
export function createTokenHeaderReader(): (token: string) => TokenHeader {
  let newest: { readonly encoded: string; readonly header: TokenHeader } | undefined
  return (token) => {
    if (token.length > longestToken) throw refused('oversized')
    const [encoded = ''] = token.split('.', 1)
    if (newest?.encoded !== encoded) newest = { encoded, header: readHeader(encoded) }
    return newest.header
  }
}

function readHeader(encoded: string): TokenHeader {
  const parsed = header.safeParse(decoded(encoded))
  if (parsed.success) return parsed.data
  throw refused(parsed.error.issues.some(({ path }) => path[0] === 'alg') ? 'algorithm' : 'malformed')
}

function decoded(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch {
    // Not passed on: the parser's message quotes the token.
    return undefined
  }
}
