import { ConnectionError } from './database-error.ts'

/** Keeps a server that is down from being asked by every request. */
export interface CircuitBreaker {
  /** Throws while the server is left alone. Ask before a connection is opened. */
  readonly check: () => void
  readonly failed: () => void
  readonly succeeded: () => void
}

const mostFailures = 5
const restMs = 3_000

/** Opens after five failures in a row, for three seconds; after that one more failure opens it again. */
export function createCircuitBreaker(now: () => number = () => performance.now()): CircuitBreaker {
  let failures = 0
  let closedAgainAt = 0
  return {
    check() {
      if (now() >= closedAgainAt) return
      throw new ConnectionError('CIRCUIT_OPEN', `the last ${failures} connections to the database failed`)
    },
    failed() {
      failures += 1
      if (failures >= mostFailures) closedAgainAt = now() + restMs
    },
    succeeded() {
      failures = 0
      closedAgainAt = 0
    },
  }
}
