/** The name that clients used before, the day since when it is deprecated, and the day from which it may be gone; ISO dates in UTC. */
export interface Formerly {
  readonly name: string
  readonly since: string
  readonly sunset: string
}
