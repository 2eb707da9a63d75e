/** The verified content of a token. Frozen, because all requests with the same token share it. */
export interface VerifiedToken {
  /** The `sub` claim: never empty. */
  readonly subject: string
  /** The `exp` claim, in seconds since 1970. */
  readonly expiresAt: number
  /** All claims, on an object without a prototype. */
  readonly claims: Readonly<Record<string, unknown>>
}

interface VerifiedTokenCache {
  /** Returns the verified content of `token` until its `exp`, without grace. */
  readonly get: (token: string, nowSeconds: number) => VerifiedToken | undefined
  /** Remembers a token; the one that was unused for longest makes room. */
  readonly set: (token: string, verified: VerifiedToken) => void
}

/**
 * Remembers at most `capacity` verified tokens. The raw token is the key, which the request holds in memory anyway.
 * A digest of it would cost more than the whole look-up may.
 */
export function createVerifiedTokenCache(capacity = 1_000): VerifiedTokenCache {
  const entries = new Map<string, VerifiedToken>()
  return {
    get(token, nowSeconds) {
      const verified = entries.get(token)
      if (verified === undefined) return undefined
      entries.delete(token)
      if (nowSeconds >= verified.expiresAt) return undefined
      entries.set(token, verified)
      return verified
    },
    set(token, verified) {
      entries.delete(token)
      entries.set(token, verified)
      const [oldest] = entries.size > capacity ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}
