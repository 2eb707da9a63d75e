/**
 * The former name that clients used, the day of its deprecation, and the day from which it may be removed; ISO dates in
 * UTC.
 */
export interface Formerly {
  readonly name: string
  readonly since: string
  readonly sunset: string
}
