/** Changes at a rate, each of a random row of the first `windows` windows. */
export interface LiveLoad {
  readonly port: number
  readonly perSecond: number
  readonly milliseconds: number
  readonly windows: number
  readonly table?: string
}

/** An order to the process of the watchers, which answers each with one message. */
export type LiveOrder =
  | { readonly kind: 'open'; readonly url: string; readonly sockets: number; readonly windows: number }
  | ({ readonly kind: 'load' } & LiveLoad)
  /** Asks how many watchers show these numbers. */
  | { readonly kind: 'compare'; readonly moves: readonly (readonly [id: number, moves: number])[] }
  | { readonly kind: 'close' }

export interface LiveSample {
  readonly changes: number
  readonly failed: number
  readonly seconds: number
  readonly actionP50Ms: number
  /** Rows that arrived at a socket with a later change than it knew. */
  readonly arrivals: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly messages: number
  readonly stale: number
}
