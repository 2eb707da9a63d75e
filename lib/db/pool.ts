import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, ConnectionOptions } from './connection.ts'
import { ConnectionError } from './database-error.ts'
import { startTimer } from './timer.ts'

interface PoolOptions {
  readonly size: number
  readonly breaker: CircuitBreaker
  readonly connect: (events: Pick<ConnectionOptions, 'onServed' | 'onLost'>) => Connection
}

/** A connection for one user alone, until it is released. */
export interface ReservedConnection {
  readonly connection: Connection
  readonly release: () => void
}

/** Up to `size` connections, opened when needed. Both ways to get one fail with a ConnectionError after `expires`. */
export interface Pool {
  /**
   * Calls `use` with an idle connection, else a new one, else the least busy; within this call unless all are leased.
   */
  readonly share: <T>(expires: number, use: (connection: Connection) => Promise<T>) => Promise<T>
  /** One that from now on gets the statements of this lease only. */
  readonly reserve: (expires: number) => Promise<ReservedConnection>
  /** Lets statements finish and says goodbye; never takes much more than `graceMs`. Nothing is given out afterwards. */
  readonly close: (graceMs: number) => Promise<void>
}

/** Opens no connection by itself. */
export function createPool({ size, breaker, connect }: PoolOptions): Pool {
  const connections = new Set<Connection>()
  const leased = new Set<Connection>()
  const line = createConnectionQueue()
  let closed = false

  function open(): Connection {
    breaker.check()
    const onLost = (served: boolean): void => {
      if (!served && !closed) breaker.recordFailure()
      connections.delete(connection)
      leased.delete(connection)
      line.advance()
    }
    const connection = connect({ onServed: breaker.recordSuccess, onLost })
    connections.add(connection)
    return connection
  }

  function pick(): Connection | undefined {
    if (closed) throw databaseClosed()
    const calmest = leastBusy(connections, leased)
    if (calmest?.waiting() === 0) return calmest
    return connections.size < size ? open() : calmest
  }

  function shareConnection<T>(use: (connection: Connection) => Promise<T>): Promise<T> | undefined {
    const connection = pick()
    return connection && use(connection)
  }

  function take(): ReservedConnection | undefined {
    const connection = pick()
    if (connection === undefined) return undefined
    leased.add(connection)
    const release = (): void => {
      if (leased.delete(connection)) line.advance()
    }
    return { connection, release }
  }

  return {
    share: (expires, use) => shareConnection(use) ?? line.join(expires, () => shareConnection(use)),
    reserve: async (expires) => take() ?? line.join(expires, take),
    close: async (graceMs) => {
      closed = true
      line.refuse(databaseClosed())
      await Promise.all([...connections].map((connection) => closeConnection(connection, graceMs)))
    },
  }
}

function leastBusy(connections: Iterable<Connection>, leased: ReadonlySet<Connection>): Connection | undefined {
  let calmest: Connection | undefined
  for (const connection of connections) {
    if (leased.has(connection)) continue
    if (calmest === undefined || connection.waiting() < calmest.waiting()) calmest = connection
  }
  return calmest
}

const pollMs = 5

async function closeConnection(connection: Connection, graceMs: number): Promise<void> {
  const givenUpAt = performance.now() + graceMs
  while (connection.waiting() > 0 && performance.now() < givenUpAt) await sleep(pollMs)
  connection.end()
  const ended = Promise.withResolvers<unknown>()
  connection.whenLost(ended.resolve)
  await Promise.race([ended.promise, sleep(Math.max(pollMs, givenUpAt - performance.now()), undefined, { ref: false })])
  connection.discard(databaseClosed())
}

function databaseClosed(): ConnectionError {
  return new ConnectionError('DATABASE_CLOSED', 'the database was closed')
}

/** Keeps a server that is down from being asked by every request. */
interface CircuitBreaker {
  /** Throws while the server is left alone. Ask before a connection is opened. */
  readonly check: () => void
  readonly recordFailure: () => void
  readonly recordSuccess: () => void
}

const maxFailures = 5
const restMs = 3_000

/** Opens after five failures in a row, for three seconds; after that one more failure opens it again. */
export function createCircuitBreaker(): CircuitBreaker {
  let failures = 0
  let openMs: (() => number) | undefined
  return {
    check() {
      if (openMs === undefined || openMs() >= restMs) return
      throw new ConnectionError('CIRCUIT_OPEN', `the last ${failures} connections to the database failed`)
    },
    recordFailure() {
      failures += 1
      if (failures >= maxFailures) openMs = startTimer()
    },
    recordSuccess() {
      failures = 0
      openMs = undefined
    },
  }
}

/** Those who wait for a connection, served in the order in which they came. */
interface ConnectionQueue {
  /** Resolves with what `take` returns once that is not `undefined`; rejects after `expires` or when `take` throws. */
  readonly join: <T>(expires: number, take: () => T | Promise<T> | undefined) => Promise<T>
  /** Something became free. */
  readonly advance: () => void
  readonly refuse: (error: ConnectionError) => void
}

interface Waiter {
  /** `false` when there was nothing to take. */
  readonly serve: () => boolean
  readonly fail: (error: unknown) => void
}

function createConnectionQueue(): ConnectionQueue {
  const waiters = new Set<Waiter>()

  function join<T>(expires: number, take: () => T | Promise<T> | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        waiters.delete(waiter)
      }
      const fail = (error: unknown): void => {
        leave()
        reject(error)
      }
      const serve = (): boolean => {
        const taken = take()
        if (taken === undefined) return false
        leave()
        resolve(taken)
        return true
      }
      const waiter: Waiter = { serve, fail }
      const giveUp = (): void =>
        fail(new ConnectionError('NONE_FREE', 'no connection to the database became free in time'))
      const timer = setTimeout(giveUp, Math.max(1, expires - performance.now()))
      waiters.add(waiter)
    })
  }

  return {
    join,
    advance: () => {
      for (const waiter of waiters) {
        try {
          if (!waiter.serve()) return
        } catch (error) {
          waiter.fail(error)
        }
      }
    },
    refuse: (error) => {
      for (const { fail } of waiters) fail(error)
    },
  }
}
