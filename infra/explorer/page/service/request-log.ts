import { createStore } from '../state/store.ts'

/** A request of the page and what became of it. `ms` is measured in the browser. */
export interface LoggedRequest {
  readonly id: number
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly language: string
  readonly at: Date
  /** Takes the place of the one before to the same path. */
  readonly quiet: boolean
  readonly status?: number
  readonly ms?: number
  readonly serverTiming?: string
  readonly requestId?: string
}

const kept = 100

/** The newest first. */
export const requestLog = createStore<readonly LoggedRequest[]>([])

let count = 0

export function logRequest(request: Omit<LoggedRequest, 'id' | 'at'>): (outcome: Partial<LoggedRequest>) => void {
  count += 1
  const entry = { ...request, id: count, at: new Date() }
  const began = performance.now()
  const others = requestLog.get().filter(({ quiet, path }) => !(request.quiet && quiet && path === request.path))
  requestLog.set([entry, ...others].slice(0, kept))
  return (outcome) => {
    const ms = Math.round(performance.now() - began)
    requestLog.set(requestLog.get().map((one) => (one.id === entry.id ? { ...one, ms, ...outcome } : one)))
  }
}
