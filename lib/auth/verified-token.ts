/** What is known for certain of a caller. Shared by all requests that carry the same token, and frozen therefore. */
export interface VerifiedToken {
  /** The `sub` claim: never empty. */
  readonly subject: string
  /** The `exp` claim, in seconds since 1970. */
  readonly expiresAt: number
  /** All claims, on an object without a prototype. */
  readonly claims: Readonly<Record<string, unknown>>
}
