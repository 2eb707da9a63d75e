/** A caller as the database keeps one, so that work which runs later is done in that caller's name. */
export interface StoredIdentity {
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly email?: string
  /** When the token expires, in seconds since 1970; kept with tickets of WebSockets. */
  readonly expiresAt?: number
}
