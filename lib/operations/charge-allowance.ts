import { chargeCaller } from '../db/charge-caller.ts'
import type { Database } from '../db/database.ts'
import type { Transaction } from '../db/transaction.ts'
import type { UsageLimit } from '../db/usage-limits.ts'
import { RequestError } from '../errors/request-error.ts'
import { describeRefusal } from '../errors/too-many-requests.ts'
import type { CallerRequest } from './table-request.ts'

/** Charges a caller's allowance. Throws `too_many_requests` if it does not hold so many units; then none is charged. */
export async function chargeAllowance(
  { identity }: Pick<CallerRequest, 'identity'>,
  run: Database['attempt'] | Transaction['run'],
  limit: UsageLimit | undefined,
  asked: number,
): Promise<void> {
  if (limit === undefined || asked === 0) return
  const { waitSeconds } = await chargeCaller(run, identity.subject, limit, { asked })
  if (waitSeconds > 0) throw new RequestError('too_many_requests', ...describeRefusal(limit, waitSeconds))
}
