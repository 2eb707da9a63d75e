import { ConnectionError } from './database-error.ts'

/** A statement that was sent and is not yet answered. */
export interface PendingStatement {
  readonly expires: number
  readonly reject: (error: ConnectionError) => void
}

/** The unanswered statements of one connection, each with its own deadline, a reading of `performance.now()`. */
export interface PendingStatements {
  readonly add: (statement: PendingStatement) => void
  readonly answered: (statement: PendingStatement) => void
  readonly size: () => number
  /** Whether there ever was an answer. */
  readonly served: () => boolean
  /** Milliseconds since the last answer; 0 while one is awaited. */
  readonly idleMs: () => number
  /** Rejects all of them and forgets them. */
  readonly rejectAll: (reason: ConnectionError) => void
}

interface PendingEvents {
  readonly onFirstAnswer: () => void
  /** A deadline has passed and its statement was rejected: the server does not answer. */
  readonly onLate: () => void
}

/** Made for one connection. */
export function createPendingStatements({ onFirstAnswer, onLate }: PendingEvents): PendingStatements {
  const statements = new Set<PendingStatement>()
  const alarm = createAlarm(sweep)
  let served = false
  let usedAt = performance.now()

  function sweep(): void {
    const now = performance.now()
    const late = [...statements].filter(({ expires }) => expires <= now)
    for (const statement of late) {
      statements.delete(statement)
      statement.reject(new ConnectionError('DEADLINE', 'the database did not answer in time'))
    }
    if (late.length > 0) onLate()
    for (const { expires } of statements) alarm.by(expires)
  }

  return {
    add: (statement) => {
      statements.add(statement)
      alarm.by(statement.expires)
    },
    answered: (statement) => {
      statements.delete(statement)
      usedAt = performance.now()
      if (!served) onFirstAnswer()
      served = true
    },
    size: () => statements.size,
    served: () => served,
    idleMs: () => (statements.size > 0 ? 0 : performance.now() - usedAt),
    rejectAll: (reason) => {
      alarm.stop()
      const unanswered = [...statements]
      statements.clear()
      for (const { reject } of unanswered) reject(reason)
    },
  }
}

/** One timer for many deadlines, left running when they are met: a timer each would cost more than all else here. */
function createAlarm(ring: () => void) {
  let ringsAt = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const fire = (): void => {
    ringsAt = Number.POSITIVE_INFINITY
    ring()
  }
  return {
    by(expires: number): void {
      if (expires >= ringsAt) return
      clearTimeout(timer)
      ringsAt = expires
      timer = setTimeout(fire, Math.max(1, Math.ceil(expires - performance.now()))).unref()
    },
    stop: () => clearTimeout(timer),
  }
}
