import { hash, randomBytes } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import { type Identity, plainValue, type StoredIdentity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { sockets } from '../db/service-tables.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Disconnect, disconnectFrom } from './post-to-connection.ts'

/** A socket that has not expired. */
export interface OpenSocket {
  readonly connectionId: string
  /** Stored so recently that the gateway may still be opening it. */
  readonly opening: boolean
  /** The caller who opened it; `undefined` if a version opened it that did not store this. */
  readonly identity: StoredIdentity | undefined
}

/** The last second of the year 9999. Postgres knows no date for what a token may say beyond. */
const maxSeconds = 253_402_300_799

/** When a token ends, as SQL. `expiresAt` is SQL of seconds since 1970, or null. */
export const tokenEnd = (expiresAt: string): string =>
  `to_timestamp(least(${expiresAt}::double precision, ${maxSeconds}))`

/**
 * When a socket ends: with the token that opened it, and after two hours at most, when the gateway ends every
 * connection and does not always say so.
 */
const socketEnd = (expiresAt: string): string => `least(now() + interval '2 hours', ${tokenEnd(expiresAt)})`

const openOnes = `
  select connection_id, connected_at > now() - interval '3 seconds', identity from table_control.sockets
  where subject = $1 and expires_at > now() order by connected_at desc`

/** The unexpired sockets of an identity, the newest first. */
export async function openSockets(database: Database, subject: string): Promise<readonly OpenSocket[]> {
  const rows = await database.read(openOnes, [subject])
  return rows.map(([connectionId, opening, identity]) => ({
    connectionId: String(connectionId),
    opening: opening === true,
    identity: (identity ?? undefined) as StoredIdentity | undefined,
  }))
}

/** Returns who opened a socket; `undefined` if it has ended, or if a version opened it that did not store this. */
export async function findOpener({ read }: Database, connectionId: string): Promise<StoredIdentity | undefined> {
  const opener = 'select identity from table_control.sockets where connection_id = $1 and expires_at > now()'
  const [row] = await read(opener, [connectionId])
  return (row?.[0] ?? undefined) as StoredIdentity | undefined
}

const insertion = `insert into table_control.sockets (connection_id, subject, expires_at, identity)
  values ($1, $2, ${socketEnd('$3')}, $4) on conflict (connection_id) do update
  set subject = excluded.subject, expires_at = excluded.expires_at, identity = excluded.identity`

const callerLock = "select pg_advisory_xact_lock(hashtextextended('table_control.sockets ' || $1, 0))"

const openCount = 'select count(*) from table_control.sockets where subject = $1 and expires_at > now()'

/**
 * Stores that a connection belongs to an identity, until its token expires or for two hours at most. Throws
 * `too_many_requests` if `maxSockets` of the identity's sockets are open.
 */
export const storeSocket = (
  { transaction }: Database,
  connectionId: string,
  owner: SocketOwner,
  maxSockets?: number,
): Promise<void> => transaction(({ run }) => insertSocket(run, connectionId, owner, maxSockets))

async function insertSocket(
  run: Run,
  connectionId: string,
  { expiresAt, ...owner }: SocketOwner,
  maxSockets = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (Number.isFinite(maxSockets)) {
    // Connections that one caller opens at the same moment wait for each other here.
    await run(callerLock, [owner.subject])
    const [row] = await run(openCount, [owner.subject])
    if (Number(row?.[0]) >= maxSockets) throw tooManySockets(maxSockets)
  }
  await run(insertion, [connectionId, owner.subject, expiresAt ?? null, identityText(owner)])
}

const tooManySockets = (limit: number): RequestError =>
  new RequestError(
    'too_many_requests',
    {},
    {
      text: {
        en: `No more than ${limit} of your WebSockets may be open at once; close one of them`,
        ar: `لا يمكن أن يتجاوز عدد قنوات WebSocket المفتوحة لديك ${limit} في الوقت نفسه؛ أغلق إحداها`,
      },
      headers: { 'retry-after': String(ticketSeconds) },
    },
  )

/** The identity that opens a socket; `expiresAt` of its token is in seconds since 1970. */
export type SocketOwner = Pick<Identity, 'subject' | 'claims' | 'email' | 'expiresAt'>

const identityText = ({ subject, claims, email, expiresAt }: SocketOwner): string =>
  JSON.stringify({ subject, claims, email, expiresAt }, plainValue)

/** Removes connections that have ended; unknown ones are ignored. */
export async function forgetSockets(database: Database, connectionIds: readonly string[]): Promise<void> {
  const [first, ...others] = connectionIds
  if (first === undefined) return
  const ended =
    others.length === 0 ? eq(sockets.connection_id, first) : inArray(sockets.connection_id, [...connectionIds])
  await (await database.session()).delete(sockets).where(ended)
}

/** A ticket opens a socket for this long. */
export const ticketSeconds = 60

const ticketForm = /^[\w-]{43}$/

const ticketInsertion = `insert into table_control.socket_tickets (hash, identity, expires_at)
  select $1, $2, now() + interval '${ticketSeconds} seconds'
  where $4::int is null or $4 > (select count(*) from table_control.socket_tickets
    where identity ->> 'subject' = $3 and expires_at > now()) returning true`

/**
 * Creates a ticket that opens one socket of this identity. Only its hash is stored. Throws `too_many_requests` if
 * `maxTickets` of the identity's tickets are unused.
 */
export async function issueTicket({ transaction }: Database, owner: SocketOwner, maxTickets?: number): Promise<string> {
  const ticket = randomBytes(32).toString('base64url')
  const parameters = [hashTicket(ticket), identityText(owner), owner.subject, maxTickets ?? null]
  const stored = await transaction(async ({ run }) => {
    // Requests of one caller at the same moment would each count the same others.
    if (maxTickets !== undefined) await run(callerLock, [owner.subject])
    return run(ticketInsertion, parameters)
  })
  if (stored.length === 0) throw tooManySockets(maxTickets ?? 0)
  return ticket
}

const ticketUse = `delete from table_control.socket_tickets where hash = $1 and expires_at > now() returning identity`

/**
 * Removes a ticket and stores the connection for its identity, both or neither. Returns false for a ticket that is
 * unknown, used or expired. The socket ends with the token that requested the ticket. Throws as `storeSocket` does.
 */
export async function storeSocketByTicket(
  { transaction }: Database,
  connectionId: string,
  ticket: string,
  maxSockets?: number,
): Promise<boolean> {
  if (!ticketForm.test(ticket)) return false
  return transaction(async ({ run }) => {
    const [row] = await run(ticketUse, [hashTicket(ticket)])
    if (row === undefined) return false
    await insertSocket(run, connectionId, row[0] as StoredIdentity, maxSockets)
    return true
  })
}

const hashTicket = (ticket: string): string => hash('sha256', ticket)

const maxSockets = 200
const closedAtOnce = 10
const maxClosingMs = 6_000

const expired = `select connection_id from table_control.sockets
  where expires_at <= now() and connection_id <> all($1::text[]) order by expires_at limit ${maxSockets}`

/**
 * Closes and forgets expired sockets, for six seconds at most; pushes skip a socket once it has expired. The next sweep
 * retries a socket that cannot be closed. Returns how many were closed.
 */
export async function closeExpiredSockets({
  config: { SOCKET_ENDPOINT },
  database,
}: {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
}): Promise<number> {
  const end = performance.now() + maxClosingMs
  const unclosed: string[] = []
  let disconnect: Disconnect | undefined
  let closedCount = 0
  let ids: readonly string[]
  do {
    ids = (await database.read(expired, [unclosed])).map(([id]) => String(id))
    if (ids.length > 0 && SOCKET_ENDPOINT !== undefined) disconnect ??= await disconnectFrom(SOCKET_ENDPOINT)
    const closed: string[] = []
    for (let start = 0; start < ids.length && performance.now() < end; start += closedAtOnce) {
      const some = ids.slice(start, start + closedAtOnce)
      const gone = await Promise.all(some.map((id) => disconnect?.(id) ?? true))
      closed.push(...some.filter((_, index) => gone[index]))
    }
    await forgetSockets(database, closed)
    closedCount += closed.length
    unclosed.push(...ids.filter((id) => !closed.includes(id)))
  } while (ids.length === maxSockets && performance.now() < end)
  return closedCount
}
