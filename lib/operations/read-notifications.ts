import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { unreadCount } from './list-notifications.ts'
import { type CallerRequest, ownValue, type Payload } from './table-request.ts'

const maxIds = 1_000

const readAll = 'update table_control.notifications set read_at = now() where subject = $1 and read_at is null'
const readSome = `${readAll} and id = any($2)`

/**
 * Marks the caller's notifications `ids` as read, all of them for a body without keys. Ids of others are ignored like unknown
 * ones; what was read before keeps its time and is not counted in `updated`.
 */
export async function readNotifications({ database, identity, body }: CallerRequest): Promise<Payload> {
  const { subject } = identity
  const ids = readIds(ownValue(body, 'ids'))
  // A misspelt key must not mark everything.
  if (ids === undefined && Object.keys(body).length > 0) throw validationFailed({ ids: [fieldFault('required')] })
  return await database.transaction(async ({ run }) => {
    const updated =
      ids === undefined
        ? await run(`${readAll} returning true`, [subject])
        : await run(`${readSome} returning true`, [subject, ids])
    const [count] = await run(unreadCount, [subject])
    return { updated: updated.length, unread_count: count?.[0] }
  })
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
