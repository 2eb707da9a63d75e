import { expect } from 'vitest'
import type { WorkApi } from '../support/fixtures/work-api.ts'
import type { LoadReport } from '../support/jobs/failover-load.ts'

export const loadedOrders = [1, 2, 3, 4, 5, 6, 7, 8]

/** The refusals that a client may repeat. On a machine that stands still for seconds, requests time out, too. */
export const refusedForAWhile =
  /^(409 (row_busy|idempotency_in_progress)|503 (unavailable|outcome_unknown)|504 timed_out)$/

/**
 * Asserts that rows and audit hold each change once that a client was told of, and that no request was answered 500.
 */
export async function expectExactlyOnce(api: WorkApi, { outcomes, changed }: LoadReport): Promise<void> {
  const refusals = Object.keys(outcomes).filter((outcome) => outcome !== '200')
  expect(refusals.filter((refusal) => !refusedForAWhile.test(refusal))).toEqual([])
  const counts = loadedOrders.map((order) => changed.filter((one) => one === order).length)
  expect(await api.runs(...loadedOrders)).toEqual(counts)
  const audited = (await api.audit()).filter(({ outcome }) => outcome === 'succeeded')
  expect(audited).toHaveLength(changed.length)
}
