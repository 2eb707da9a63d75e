import { setTimeout as sleep } from 'node:timers/promises'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { Connection, ConnectionOptions } from './connection.ts'
import { ConnectionError } from './database-error.ts'
import { createWaitingLine } from './waiting-line.ts'

export interface PoolOptions {
  readonly size: number
  readonly breaker: CircuitBreaker
  readonly connect: (events: Pick<ConnectionOptions, 'onServed' | 'onLost'>) => Connection
}

/** A connection for one user alone, until it is released. */
export interface Lease {
  readonly connection: Connection
  readonly release: () => void
}

/** Up to `size` connections, opened when needed. Both ways to get one fail with a ConnectionError after `expires`. */
export interface Pool {
  /** Calls `use` with an idle connection, else a new one, else the least busy; within this call unless all are leased. */
  readonly share: <T>(expires: number, use: (connection: Connection) => Promise<T>) => Promise<T>
  /** One that from now on gets the statements of this lease only. */
  readonly lease: (expires: number) => Promise<Lease>
  /** Lets statements finish and says goodbye; never takes much more than `graceMs`. Nothing is given out afterwards. */
  readonly close: (graceMs: number) => Promise<void>
}

/** Opens no connection by itself. */
export function createPool({ size, breaker, connect }: PoolOptions): Pool {
  const connections = new Set<Connection>()
  const leased = new Set<Connection>()
  const line = createWaitingLine()
  let closed = false

  function open(): Connection {
    breaker.check()
    const onLost = (served: boolean): void => {
      if (!served && !closed) breaker.failed()
      connections.delete(connection)
      leased.delete(connection)
      line.advance()
    }
    const connection = connect({ onServed: breaker.succeeded, onLost })
    connections.add(connection)
    return connection
  }

  function pick(): Connection | undefined {
    if (closed) throw databaseClosed()
    const calmest = leastBusy(connections, leased)
    if (calmest?.waiting() === 0) return calmest
    return connections.size < size ? open() : calmest
  }

  function shared<T>(use: (connection: Connection) => Promise<T>): Promise<T> | undefined {
    const connection = pick()
    return connection && use(connection)
  }

  function take(): Lease | undefined {
    const connection = pick()
    if (connection === undefined) return undefined
    leased.add(connection)
    const release = (): void => {
      if (leased.delete(connection)) line.advance()
    }
    return { connection, release }
  }

  return {
    share: (expires, use) => shared(use) ?? line.join(expires, () => shared(use)),
    lease: async (expires) => take() ?? line.join(expires, take),
    close: async (graceMs) => {
      closed = true
      line.refuse(databaseClosed())
      await Promise.all([...connections].map((connection) => closeGently(connection, graceMs)))
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

async function closeGently(connection: Connection, graceMs: number): Promise<void> {
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
