import { chargeCaller, type UsageCharge } from '../db/charge-caller.ts'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import { findLimit, type UsageLimit } from '../db/usage-limits.ts'
import { RequestError } from '../errors/request-error.ts'
import { describeRefusal } from '../errors/too-many-requests.ts'
import type { CallerRequest } from './table-request.ts'

type Caller = Pick<CallerRequest, 'identity' | 'config'>

/** Returns the units that a request takes of one kind; none where the kind has no limit. */
export function createCharges(
  { identity: { subject }, config }: Caller,
  kind: UsageLimit['kind'],
  units: number,
): readonly UsageCharge[] {
  const limit = findLimit(config, kind)
  return limit === undefined || units === 0 ? [] : [{ subject, limit, units }]
}

/** Charges a caller's allowance. Throws `too_many_requests` if too few units are left; then none is charged. */
export async function chargeAllowance(
  run: Database['attempt'] | Run,
  { subject, limit, units }: UsageCharge,
): Promise<void> {
  const { waitSeconds } = await chargeCaller(run, subject, limit, { asked: units })
  if (waitSeconds > 0) throw new RequestError('too_many_requests', ...describeRefusal(limit, waitSeconds))
}
