import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { unreadCount } from './list-notifications.ts'
import { type CallerRequest, ownValue, type Payload } from './table-request.ts'

const maxIds = 1_000

// In the order in which `readNext` locks them: two requests at once would else wait for each other for ever.
const readSome = `update table_control.notifications set read_at = now() where id = any(array(
  select id from table_control.notifications where subject = $1 and read_at is null and id = any($2)
  order by id desc for update)) returning true`

const maxMarked = 5_000
const maxMarkingMs = 5_000

/** Marks the newest. By `between` and an array, the planner reads neither those of other callers nor the whole table. */
export const readNext = `with marked as (update table_control.notifications set read_at = now() where id = any(array(
      select id from table_control.notifications where subject between $1 and $1 and read_at is null and id < $2
      order by subject desc, id desc limit ${maxMarked} for update))
    returning id)
  select count(*)::int, min(id) from marked`

/**
 * Marks the caller's notifications `ids` as read, all of them for a body without keys. Ids of others are ignored like
 * unknown ones; what was read before keeps its time and is not counted in `updated`.
 */
export async function readNotifications({ database, identity, body }: CallerRequest): Promise<Payload> {
  const { subject } = identity
  const ids = readIds(ownValue(body, 'ids'))
  // A misspelt key must not mark everything.
  if (ids === undefined && Object.keys(body).length > 0) throw validationFailed({ ids: [fieldFault('required')] })
  const updated = ids === undefined ? await markAll(database, subject) : await markSome(database, subject, ids)
  const [count] = await database.read(unreadCount, [subject])
  return { updated, unread_count: count?.[0] }
}

type Database = CallerRequest['database']

const markSome = async ({ transaction }: Database, subject: string, ids: readonly number[]): Promise<number> =>
  (await transaction(({ run }) => run(readSome, [subject, ids]))).length

/**
 * Marks the newest first, 5,000 in a transaction, so that none that arrives meanwhile is marked. Returns how many were
 * marked in five seconds.
 */
async function markAll({ transaction }: Database, subject: string): Promise<number> {
  const end = performance.now() + maxMarkingMs
  let updated = 0
  let count: number
  let before = Number.MAX_SAFE_INTEGER
  do {
    const [row] = await transaction(({ run }) => run(readNext, [subject, before]))
    count = Number(row?.[0])
    before = Number(row?.[1])
    updated += count
  } while (count === maxMarked && performance.now() < end)
  return updated
}

function readIds(value: unknown): readonly number[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw validationFailed({ ids: [fieldFault('not_a_list')] })
  if (value.length > maxIds) throw validationFailed({ ids: [fieldFault('too_many', { max: maxIds })] })
  return value.map((id: unknown, index) => {
    const number = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id
    if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number
    throw validationFailed({ [`ids.${index}`]: [fieldFault('not_whole', { min: 1, max: Number.MAX_SAFE_INTEGER })] })
  })
}
