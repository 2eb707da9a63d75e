/** Who is calling, as a verified token says it. `Claims` is what the registry's `claims` schema makes of the token. */
export interface Identity<Claims = Readonly<Record<string, unknown>>> {
  /** The token's `sub`: never empty. */
  readonly subject: string
  readonly claims: Claims
  /** The token's `email`, where its issuer vouches for it by `email_verified`. */
  readonly email?: string
  /** The token's `email`, where its issuer does not vouch for it: nothing is sent there, but the caller is told why. */
  readonly unverifiedEmail?: string
  /** When the token expires, in seconds since 1970; absent for an identity that was stored with a job. */
  readonly expiresAt?: number
}
