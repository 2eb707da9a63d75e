import type { Identity, StoredIdentity } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Language } from '../i18n/language.ts'

/** The rows of a page in their order: the id of each, and a digest of its item. */
export type ShownRows = readonly (readonly [id: string | number, digest: string])[]

/** The client's name for a subscription, within its connection. */
export interface SubscriptionName {
  readonly connectionId: string
  readonly id: string
}

export interface NewSubscription extends SubscriptionName {
  readonly tableName: string
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  readonly baseUrl: string
  readonly sealedQuery: string
  readonly shown: ShownRows
}

/** A subscription as its table is read for it. */
export interface Subscription extends SubscriptionName {
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  readonly baseUrl: string
  readonly sealedQuery: string
  /** Absent if it is not known what the client shows. */
  readonly shown: ShownRows | undefined
  /** The number of the last message. */
  readonly seq: number
  /** True if the allowed number of messages was sent within the last second. */
  readonly isFull: boolean
  /** True if a change has waited for that. */
  readonly isHeld: boolean
}

export const maxSubscriptions = 20
/** The messages after which the next ones wait for a second. */
const maxMessages = 2

const socketLock = `select true from table_control.sockets
  where connection_id = $1 and subject = $2 and expires_at > now() for update`

const insertion = `insert into table_control.subscriptions
    (connection_id, id, table_name, identity, guard, language, base_url, query, shown, expires_at)
  select connection_id, $2::text, $3, $4::jsonb, $5, $6, $7, $8, $9::json, least(expires_at, to_timestamp($10::double precision))
  from table_control.sockets where connection_id = $1 and (select count(*) from table_control.subscriptions
    where connection_id = $1 and id <> $2::text) < ${maxSubscriptions}
  on conflict (connection_id, id) do update set table_name = excluded.table_name, identity = excluded.identity,
    guard = excluded.guard, language = excluded.language, base_url = excluded.base_url, query = excluded.query,
    shown = excluded.shown, expires_at = excluded.expires_at, seq = 0, is_held = false
  returning true`

// An action that was under way may have looked for watchers before there was this one. It ends within its deadline.
const laterLook = `insert into table_control.row_events (table_name, connection_id, due_at)
  values ($1, $2, now() + make_interval(secs => $3))`

/**
 * Stores a subscription in place of an earlier one of its name. Returns `no_socket` if the connection is not an open socket of its
 * identity, and `too_many` beyond the limit. The connection is looked at again after `againSeconds`.
 */
export const storeSubscription = (
  { transaction }: Database,
  subscription: NewSubscription,
  againSeconds: number,
): Promise<'stored' | 'no_socket' | 'too_many'> =>
  transaction(async ({ run }) => {
    const { connectionId, id, tableName, identity, guard, language, baseUrl, sealedQuery, shown } = subscription
    const locked = await run(socketLock, [connectionId, identity.subject])
    if (locked.length === 0) return 'no_socket'
    const stored = await run(insertion, [
      ...[connectionId, id, tableName, JSON.stringify(identity), guard, language, baseUrl, sealedQuery],
      ...[JSON.stringify(shown), identity.expiresAt ?? null],
    ])
    if (stored.length === 0) return 'too_many'
    await run(laterLook, [tableName, connectionId, againSeconds])
    return 'stored'
  })

const removal = 'delete from table_control.subscriptions where connection_id = $1 and id = $2 returning seq'

/** Removes a subscription and returns the number of its last message; `undefined` if there is none. */
export async function removeSubscription(
  { transaction }: Database,
  { connectionId, id }: SubscriptionName,
): Promise<number | undefined> {
  const [row] = await transaction(({ run }) => run(removal, [connectionId, id]))
  return row === undefined ? undefined : Number(row[0])
}

const columns = `connection_id, id, identity, guard, language, base_url, query, shown, seq,
  coalesce(sent_at > now() - interval '1 second' and sent_count >= ${maxMessages}, false), is_held`

/** The subscriptions of a table; `connectionIds` limits them to those of these connections. */
export async function listSubscriptions(
  { read }: Database,
  tableName: string,
  connectionIds?: readonly string[],
): Promise<readonly Subscription[]> {
  const rows = await read(
    `select ${columns} from table_control.subscriptions
      where table_name = $1 and expires_at > now() and ($2::text[] is null or connection_id = any($2::text[]))
      order by connection_id, id`,
    [tableName, connectionIds === undefined ? null : [...connectionIds]],
  )
  return rows.map(toSubscription)
}

/** Reads a subscription again, after another worker has changed it. */
export async function findSubscription(
  { read }: Database,
  { connectionId, id }: SubscriptionName,
): Promise<Subscription | undefined> {
  const text = `select ${columns} from table_control.subscriptions where connection_id = $1 and id = $2 and expires_at > now()`
  const [row] = await read(text, [connectionId, id])
  return row && toSubscription(row)
}

function toSubscription(row: readonly unknown[]): Subscription {
  const [connectionId, id, identity, guard, language, baseUrl, query, shown, seq, isFull, isHeld] = row
  const { subject, claims, email } = identity as StoredIdentity
  return {
    ...{ connectionId: String(connectionId), id: String(id), guard: String(guard), baseUrl: String(baseUrl) },
    identity: { subject, claims, ...(email !== undefined && { email }) },
    language: language === 'ar' ? 'ar' : 'en',
    sealedQuery: String(query),
    // Written by `storeSubscription` and `saveShown` alone.
    shown: (shown ?? undefined) as ShownRows | undefined,
    ...{ seq: Number(seq), isFull: isFull === true, isHeld: isHeld === true },
  }
}

const saving = `update table_control.subscriptions set shown = $4::json, seq = seq + $5::int, is_held = false, sent_at = now(),
    sent_count = case when sent_at > now() - interval '1 second' then sent_count + $5::int else $5::int end
  where connection_id = $1 and id = $2 and seq = $3 returning true`

/**
 * Stores what the client shows once it has got `messages` more. Returns false if it has been sent others meanwhile, or the
 * subscription has ended.
 */
export async function saveShown(
  { transaction }: Database,
  { connectionId, id, seq }: Subscription,
  shown: ShownRows | undefined,
  messages: number,
): Promise<boolean> {
  const text = shown === undefined ? null : JSON.stringify(shown)
  return (await transaction(({ run }) => run(saving, [connectionId, id, seq, text, messages]))).length > 0
}

const forgetting = 'update table_control.subscriptions set shown = null where connection_id = $1 and id = $2'

/** Stores that a message may not have arrived: the next one says that the page is stale. */
export const forgetShown = ({ transaction }: Database, { connectionId, id }: SubscriptionName): Promise<unknown> =>
  transaction(({ run }) => run(forgetting, [connectionId, id]))

const holding = 'update table_control.subscriptions set is_held = true where connection_id = $1 and id = $2'

/** Holds a change back: its watcher is told in `seconds`. */
export const holdChange = (
  { transaction }: Database,
  tableName: string,
  { connectionId, id }: SubscriptionName,
  seconds: number,
): Promise<unknown> =>
  transaction(async ({ run }) => {
    await run(holding, [connectionId, id])
    await run(laterLook, [tableName, connectionId, seconds])
  })

/** Returns a statement that stores a change of a table if somebody watches it. `source` is the row that names the table. */
export const insertRowEvent = (tableName: string, condition: string, source: string): string =>
  `insert into table_control.row_events (table_name) select ${tableName} from ${source} where ${condition} and exists
    (select from table_control.subscriptions watch where watch.table_name = ${tableName} and watch.expires_at > now())`

/** The changes that one worker tells the watchers of. */
export interface ClaimedEvents {
  readonly ids: readonly string[]
  /** The connections that are to be told; absent for all. */
  readonly connectionIds?: readonly string[]
}

const claiming = `update table_control.row_events set claimed_until = now() + interval '2 minutes'
  where id in (select id from table_control.row_events where table_name = $1 and due_at <= now()
    and (claimed_until is null or claimed_until < now()) order by id limit 1000 for update skip locked)
  returning id, connection_id`

/** Claims the changes of a table that are due; `undefined` if there is none that another worker has not claimed. */
export async function claimRowEvents({ transaction }: Database, tableName: string): Promise<ClaimedEvents | undefined> {
  const rows = await transaction(({ run }: Pick<Transaction, 'run'>) => run(claiming, [tableName]))
  if (rows.length === 0) return undefined
  const ids = rows.map(([id]) => String(id))
  if (rows.some(([, connectionId]) => connectionId === null)) return { ids }
  return { ids, connectionIds: [...new Set(rows.map(([, connectionId]) => String(connectionId)))] }
}

/** Removes changes whose watchers have been told. */
export const removeRowEvents = ({ transaction }: Database, { ids }: ClaimedEvents): Promise<unknown> =>
  transaction(({ run }) => run('delete from table_control.row_events where id = any($1::bigint[])', [[...ids]]))

const overdue = `select distinct table_name from table_control.row_events
  where due_at < now() - interval '10 seconds' and (claimed_until is null or claimed_until < now())`

/** The tables whose watchers wait for a message of the queue that was lost. */
export const listOverdueTables = async ({ read }: Database): Promise<readonly string[]> =>
  (await read(overdue, [])).map(([tableName]) => String(tableName))
