import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { forgetSockets } from './open-sockets.ts'
import { disconnectFrom } from './post-to-connection.ts'

const maxSockets = 200
const closedAtOnce = 10

const expired = `select connection_id from table_control.sockets where expires_at <= now() order by expires_at limit ${maxSockets}`

/**
 * Closes sockets whose token has expired and forgets them, 200 at a time: pushes have left them out since that moment. One that
 * cannot be closed now is tried again by the next sweep. Returns how many are gone.
 */
export async function closeExpiredSockets({
  config,
  database,
}: {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
}): Promise<number> {
  const ids = (await database.read(expired, [])).map(([id]) => String(id))
  if (ids.length === 0) return 0
  const { SOCKET_ENDPOINT } = config
  const disconnect = SOCKET_ENDPOINT === undefined ? undefined : await disconnectFrom(SOCKET_ENDPOINT)
  const closed: string[] = []
  for (let start = 0; start < ids.length; start += closedAtOnce) {
    const some = ids.slice(start, start + closedAtOnce)
    const gone = await Promise.all(some.map((id) => disconnect?.(id) ?? true))
    closed.push(...some.filter((_, index) => gone[index]))
  }
  await forgetSockets(database, closed)
  return closed.length
}
