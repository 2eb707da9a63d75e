import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import * as z from 'zod/mini'
import { refused } from './token-refusal.ts'

const text = z.optional(z.string())
const seconds = z.optional(z.number())

/** The registered claims (RFC 7519, 4.1), which the checks take for granted; any other claim may be anything. */
const registered = z.object({
  iss: text,
  sub: text,
  aud: z.optional(z.union([z.string(), z.array(z.string())])),
  exp: seconds,
  nbf: seconds,
  iat: seconds,
  jti: text,
  scope: text,
})

/**
 * The claims of a token whose signature is good. Throws `unauthenticated` where a registered one is not of its type. The
 * library would decode the header as well, which has been read before, and takes several times as long.
 */
export function readPayload(token: string): JwtPayload {
  const payload = decoded(token.split('.', 2)[1] ?? '')
  if (!registered.safeParse(payload).success) throw refused('malformed')
  return withoutPrototypes(payload as JwtPayload)
}

function decoded(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch {
    // Not passed on: the parser's message quotes the token.
    return undefined
  }
}

/** Names that claims must not have at any depth, because whoever copies them may change a prototype. */
const unsafeNames = ['__proto__', 'constructor'] as const

function withoutPrototypes<Value extends object>(value: Value): Value {
  for (const name of unsafeNames) if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name)
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) withoutPrototypes(inner)
  }
  return value
}
