import { type Identity, plainValue, type StoredIdentity } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import type { Run, Transaction } from '../db/transaction.ts'
import type { Language } from '../i18n/language.ts'
import { tokenEnd } from './sockets.ts'

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
  /** How many messages may be sent now. */
  readonly room: number
  /** True if a change has waited for that. */
  readonly isPostponed: boolean
  /** When its client has subscribed: another time means another subscription of the same name. */
  readonly createdAt: string
  /** The time of the database at which it was read. */
  readonly readAt: string
}

export const maxSubscriptions = 20
/** The pause after a message: two of them are longer than a second, also if the first message was late on its way. */
const pauseMs = 550
const pause = `make_interval(secs => ${pauseMs / 1_000})`

/**
 * Returns SQL that tells whether a moment is yet to come. None is later than in a minute, unless the clock of the
 * database was set back since: then nothing waits for it.
 */
const isAhead = (moment: string): string => `(${moment} > now() and ${moment} < now() + interval '1 minute')`

const socketLock = `select true from table_control.sockets
  where connection_id = $1 and subject = $2 and expires_at > now() for update`

const insertion = `insert into table_control.subscriptions
    (connection_id, id, table_name, identity, guard, language, base_url, query, shown, expires_at)
  select connection_id, $2::text, $3, $4::jsonb, $5, $6, $7, $8, $9::json, least(expires_at, ${tokenEnd('$10')})
  from table_control.sockets where connection_id = $1 and (select count(*) from table_control.subscriptions
    where connection_id = $1 and id <> $2::text) < ${maxSubscriptions}
  on conflict (connection_id, id) do update set table_name = excluded.table_name, identity = excluded.identity,
    guard = excluded.guard, language = excluded.language, base_url = excluded.base_url, query = excluded.query,
    shown = excluded.shown, expires_at = excluded.expires_at, created_at = clock_timestamp(), seq = 0, is_held = false
  returning true`

// An action that was under way may have looked for watchers before there was this one. It ends within its deadline.
const laterLook = `insert into table_control.row_events (table_name, connection_id, due_at)
  values ($1, $2, now() + make_interval(secs => $3))`

/**
 * Stores a subscription in place of an earlier one of its name. Returns `no_socket` if the connection is not an open
 * socket of its identity, and `too_many` beyond the limit. The connection is looked at again after `againSeconds`.
 */
export const storeSubscription = (
  { transaction }: Database,
  subscription: NewSubscription,
  againSeconds: number,
  inTransaction: (run: Run) => Promise<unknown>,
): Promise<'stored' | 'no_socket' | 'too_many'> =>
  transaction(async ({ run }) => {
    const { connectionId, id, tableName, identity, guard, language, baseUrl, sealedQuery, shown } = subscription
    const locked = await run(socketLock, [connectionId, identity.subject])
    if (locked.length === 0) return 'no_socket'
    const stored = await run(insertion, [
      connectionId,
      id,
      tableName,
      JSON.stringify(identity, plainValue),
      guard,
      language,
      baseUrl,
      sealedQuery,
      JSON.stringify(shown),
      identity.expiresAt ?? null,
    ])
    if (stored.length === 0) return 'too_many'
    await run(laterLook, [tableName, connectionId, againSeconds])
    await inTransaction(run)
    return 'stored'
  })

const removal = `delete from table_control.subscriptions
  where connection_id = $1 and id = $2 and created_at = $3::timestamptz returning seq`

/**
 * Removes a subscription and returns the number of its last message; `undefined` if there is none. One that was created
 * at another time than `createdAt` stays.
 */
export async function removeSubscription(
  { transaction }: Database,
  { connectionId, id, createdAt }: Pick<Subscription, 'connectionId' | 'id' | 'createdAt'>,
): Promise<number | undefined> {
  const [row] = await transaction(({ run }) => run(removal, [connectionId, id, createdAt]))
  return row === undefined ? undefined : Number(row[0])
}

const ending = `with removed as (delete from table_control.subscriptions where connection_id = $1 and id = $2 returning seq)
  select subject, seq from table_control.sockets left join removed on true where connection_id = $1`

export interface EndedSubscription {
  /** The caller who has opened the socket; `undefined` if it has ended as well. */
  readonly subject: string | undefined
  /** The number of the last message; `undefined` if there was no subscription. */
  readonly seq: number | undefined
}

/** Removes a subscription for its client. */
export async function endSubscription(
  { transaction }: Database,
  { connectionId, id }: SubscriptionName,
): Promise<EndedSubscription> {
  const [[subject, seq] = []] = await transaction(({ run }) => run(ending, [connectionId, id]))
  return {
    subject: subject === undefined ? undefined : String(subject),
    seq: seq === undefined || seq === null ? undefined : Number(seq),
  }
}

const columns = `connection_id, id, identity, guard, language, base_url, query, shown, seq,
  case when ${isAhead('sent_at')} then 0 when sent_count = 1 and sent_at + ${pause} > now() then 1 else 2 end, is_held,
  created_at::text, now()::text`

/** The most subscriptions that a worker reads at once. */
export const maxListed = 1_000

/**
 * The subscriptions of a table after the given one, in the order of their names: of all connections or these, all or
 * those that are postponed.
 */
export async function listSubscriptions(
  { read }: Database,
  tableName: string,
  { connectionIds, isPostponedOnly }: Partial<Pick<ClaimedEvents, 'connectionIds' | 'isPostponedOnly'>>,
  after?: SubscriptionName,
): Promise<readonly Subscription[]> {
  const rows = await read(
    `select ${columns} from table_control.subscriptions
      where table_name = $1 and expires_at > now() and ($2::text[] is null or connection_id = any($2::text[]))
        and (connection_id, id) > ($3, $4) and (is_held or not $5) order by connection_id, id limit ${maxListed}`,
    [
      tableName,
      connectionIds === undefined ? null : [...connectionIds],
      after?.connectionId ?? '',
      after?.id ?? '',
      isPostponedOnly === true,
    ],
  )
  return rows.map(toSubscription)
}

function toSubscription(row: readonly unknown[]): Subscription {
  const [
    connectionId,
    id,
    identity,
    guard,
    language,
    baseUrl,
    query,
    shown,
    seq,
    room,
    isPostponed,
    createdAt,
    readAt,
  ] = row
  const { subject, claims, email } = identity as StoredIdentity
  return {
    connectionId: String(connectionId),
    id: String(id),
    guard: String(guard),
    baseUrl: String(baseUrl),
    identity: { subject, claims, ...(email !== undefined && { email }) },
    language: language === 'ar' ? 'ar' : 'en',
    sealedQuery: String(query),
    // Written by `storeSubscription` and `saveShown` alone.
    shown: (shown ?? undefined) as ShownRows | undefined,
    seq: Number(seq),
    room: Number(room),
    isPostponed: isPostponed === true,
    createdAt: String(createdAt),
    readAt: String(readAt),
  }
}

/** The rows that the client of a subscription shows once it has received `messageCount` more messages. */
export interface ShownAfter {
  readonly subscription: Subscription
  readonly shown: ShownRows | undefined
  readonly messageCount: number
}

// Never waits for a row that another transaction has locked, such as that of a socket that ends.
const saving = `with updates as (select * from json_to_recordset($1::json)
    as updates(connection_id text, id text, created_at timestamptz, seq int, shown json, messages int, read_at timestamptz)),
  locked as (select watch.connection_id, watch.id from table_control.subscriptions watch
    join updates on updates.connection_id = watch.connection_id and updates.id = watch.id and updates.seq = watch.seq
      and updates.created_at = watch.created_at and watch.expires_at > now()
    for no key update of watch skip locked)
  update table_control.subscriptions watch set shown = updates.shown, seq = watch.seq + updates.messages, is_held = false,
    sent_at = updates.read_at + updates.messages * ${pause}, sent_count = updates.messages
  from updates join locked on locked.connection_id = updates.connection_id and locked.id = updates.id
  where watch.connection_id = locked.connection_id and watch.id = locked.id
  returning watch.connection_id, watch.id`

/**
 * Stores the rows that clients show, in one statement, and returns the stored updates. The other subscriptions were
 * locked, were sent further messages, were replaced or have ended.
 */
export async function saveShown<Stored extends ShownAfter>(
  { transaction }: Database,
  updates: readonly Stored[],
): Promise<readonly Stored[]> {
  if (updates.length === 0) return []
  const rows = updates.map(({ subscription: { connectionId, id, createdAt, seq, readAt }, shown, messageCount }) => ({
    connection_id: connectionId,
    id,
    created_at: createdAt,
    seq,
    shown: shown ?? null,
    messages: messageCount,
    read_at: readAt,
  }))
  const stored = await transaction(({ run }) => run(saving, [JSON.stringify(rows)]))
  const names = new Set(stored.map(([connectionId, id]) => `${connectionId} ${id}`))
  return updates.filter(({ subscription: { connectionId, id } }) => names.has(`${connectionId} ${id}`))
}

const postponing = `update table_control.subscriptions watch
  set is_held = true, shown = case when $3::boolean then null else watch.shown end
  from unnest($1::text[], $2::text[]) as postponed(connection_id, id)
  where watch.connection_id = postponed.connection_id and watch.id = postponed.id`

const laterLooks = `insert into table_control.row_events (table_name, connection_id, due_at)
  select $1, connection_id, now() + make_interval(secs => $3) from unnest($2::text[]) as postponed(connection_id)`

/**
 * Postpones changes: their watchers are notified in `seconds`. `isLost` says that a message may not have arrived: the
 * next one then says that the page is stale.
 */
export const postponeChanges = (
  { transaction }: Database,
  tableName: string,
  postponed: readonly SubscriptionName[],
  { seconds, isLost }: { readonly seconds: number; readonly isLost: boolean },
): Promise<unknown> =>
  transaction(async ({ run }) => {
    const connectionIds = postponed.map(({ connectionId }) => connectionId)
    await run(postponing, [connectionIds, postponed.map(({ id }) => id), isLost])
    await run(laterLooks, [tableName, [...new Set(connectionIds)], seconds])
  })

/**
 * Returns a statement that stores a change of a table if a socket watches it. `source` is the row that names the table.
 * If all sockets watch one table, the planner takes every row for a match and reads all of them; `between` lets it
 * expect few.
 */
export const insertRowEvent = (tableName: string, condition: string, source: string): string =>
  `insert into table_control.row_events (table_name) select ${tableName} from ${source} where ${condition} and exists
    (select from table_control.subscriptions watch where watch.table_name between ${tableName} and ${tableName} and watch.expires_at > now())`

/** The changes of which one worker notifies the watchers. */
export interface ClaimedEvents {
  readonly ids: readonly string[]
  /** The connections to notify; absent for all. */
  readonly connectionIds?: readonly string[]
  /** Milliseconds until a watcher that was sent one message may get the next. One that was sent two waits longer. */
  readonly waitMs: number
  /** True if all of them were postponed before: pages that were not need not be read. */
  readonly isPostponedOnly: boolean
  /** True if the table was emptied by TRUNCATE. */
  readonly isTruncate: boolean
}

const claimSeconds = 30
/** Longer than any change is postponed, and shorter than the wait until a new subscription is looked at again. */
const maxPostponed = "interval '10 seconds'"

// One worker at a time, so that the others need not read the same pages. It looks again before it ends. All pages are
// read for each claim, so a claim takes what other programs have written in many transactions.
const claiming = `with due as (select id, claimed_until from table_control.row_events where table_name = $1 and not ${isAhead('due_at')}
      and (claimed_until is null or not ${isAhead('claimed_until')}) order by id limit 20000 for update skip locked),
  claimed as (update table_control.row_events event set claimed_until = now() + interval '${claimSeconds} seconds'
    from due where event.id = due.id
    and not exists (select from table_control.row_events where table_name = $1 and ${isAhead('claimed_until')}
      and id <> all($2::bigint[]))
    returning event.id, connection_id, is_truncate,
      connection_id is not null and due_at < created_at + ${maxPostponed} as is_postponed, due.claimed_until is not null as is_repeated)
  select id, connection_id, is_truncate, is_postponed, (select extract(epoch from max(sent_at) - now()) * 1000 from table_control.subscriptions
    where table_name = $1 and sent_at < now() + ${pause}), is_repeated from claimed`

// The worker that had these changes may have ended after it stored a message as sent, and before it posted it.
const doubting = `update table_control.subscriptions watch set shown = null, is_held = true
  where table_name = $1 and exists (select from table_control.row_events event where event.id = any($2::bigint[])
    and watch.sent_at >= event.due_at and coalesce(event.connection_id, watch.connection_id) = watch.connection_id)`

/**
 * Claims the changes of a table that are due, beside those that the worker holds already. Returns none while another
 * worker notifies the watchers of the table. If a worker has failed with some of them, the watchers to whom it may have
 * sent are told that their page is stale.
 */
export async function claimRowEvents(
  { transaction }: Database,
  tableName: string,
  claimed: ClaimedEvents = { ids: [], connectionIds: [], waitMs: 0, isPostponedOnly: true, isTruncate: false },
): Promise<ClaimedEvents> {
  const rows = await transaction(async ({ run }: Pick<Transaction, 'run'>) => {
    const found = await run(claiming, [tableName, [...claimed.ids]])
    const repeated = found.filter(([, , , , , isRepeated]) => isRepeated === true).map(([id]) => String(id))
    if (repeated.length > 0) await run(doubting, [tableName, repeated])
    return found
  })
  const ids = [...claimed.ids, ...rows.map(([id]) => String(id))]
  const waitMs = Math.max(0, Math.ceil(Number(rows[0]?.[4] ?? 0)))
  const isTruncate = claimed.isTruncate || rows.some((row) => row[2] === true)
  const isPostponedOnly = claimed.isPostponedOnly && rows.every((row) => row[3] === true)
  const isForAll = claimed.connectionIds === undefined || rows.some(([, connectionId]) => connectionId === null)
  if (isForAll) return { ids, waitMs, isPostponedOnly, isTruncate }
  const connectionIds = new Set([
    ...(claimed.connectionIds ?? []),
    ...rows.map(([, connectionId]) => String(connectionId)),
  ])
  return { ids, connectionIds: [...connectionIds], waitMs, isPostponedOnly, isTruncate }
}

const renewal = `update table_control.row_events set claimed_until = now() + interval '${claimSeconds} seconds'
  where id = any($1::bigint[]) and claimed_until > now()`

/** Keeps other workers from claiming these changes for longer. */
export const renewRowEvents = ({ transaction }: Database, { ids }: ClaimedEvents): Promise<unknown> =>
  transaction(({ run }) => run(renewal, [[...ids]]))

/** Removes changes whose watchers have been notified. */
export const removeRowEvents = ({ transaction }: Database, { ids }: ClaimedEvents): Promise<unknown> =>
  transaction(({ run }) => run('delete from table_control.row_events where id = any($1::bigint[])', [[...ids]]))

/** Lets another worker claim these changes, which finds that this one has failed. */
export const releaseRowEvents = ({ transaction }: Database, { ids }: ClaimedEvents): Promise<unknown> =>
  transaction(({ run }) =>
    run('update table_control.row_events set claimed_until = now() where id = any($1::bigint[])', [[...ids]]),
  )

const notifying = `select exists (select from table_control.row_events where table_name = $1 and ${isAhead('claimed_until')})`

/**
 * Returns true if a worker is sending the changes of a table. Before it ends, it looks once more for changes that are
 * committed by now.
 */
export const isBeingNotified = async ({ read }: Database, tableName: string): Promise<boolean> =>
  (await read(notifying, [tableName]))[0]?.[0] === true

const overdue = `select distinct table_name from table_control.row_events
  where not ${isAhead("due_at + interval '10 seconds'")} and (claimed_until is null or not ${isAhead('claimed_until')})`

/** The tables whose watchers wait for a message of the queue that was lost. */
export const listOverdueTables = async ({ read }: Database): Promise<readonly string[]> =>
  (await read(overdue, [])).map(([tableName]) => String(tableName))
