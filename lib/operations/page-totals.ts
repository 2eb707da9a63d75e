import { createHmac } from 'node:crypto'
import { deriveKey } from '../auth/derived-key.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { countPage, readOpenPage } from '../query/open-page.ts'
import { type Page, type PageRequest, readPage } from '../query/page.ts'
import type { Plan } from '../query/plan.ts'
import { readWhole } from '../query/read-value.ts'
import { describeSelection } from '../query/selection-key.ts'
import type { CountPolicy } from '../table/definition.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** How a request wants its total. */
export interface TotalOptions {
  readonly policy: CountPolicy
  /** Whether no rows are wanted. */
  readonly countOnly: boolean
  readonly sequence: number | undefined
}

const requestedPolicies = ['exact', 'auto', 'none'] as const

/** Reads `count`, `count_only` and `request_seq`. Throws `validation_failed` for what they may not be. */
export function readTotalOptions({ body, table }: TableRequest): TotalOptions {
  const countOnly = ownValue(body, 'count_only') ?? false
  if (typeof countOnly !== 'boolean') throw validationFailed({ count_only: [fieldFault('not_a_boolean')] })
  const asked = ownValue(body, 'request_seq') ?? undefined
  const sequence = asked === undefined ? undefined : readWhole(asked, 0, Number.MAX_SAFE_INTEGER, 'request_seq')
  return { policy: readPolicy(ownValue(body, 'count') ?? undefined, table.definition.count), countOnly, sequence }
}

/** Reads `count`. A request for `auto` has the limits that the table states for `auto`. */
function readPolicy(asked: unknown, stated: CountPolicy = 'exact'): CountPolicy {
  if (asked === undefined) return stated
  const policy = requestedPolicies.find((known) => known === asked)
  if (policy === undefined) throw validationFailed({ count: [listOptions(requestedPolicies)] })
  return policy === 'auto' && typeof stated === 'object' && 'auto' in stated ? stated : policy
}

/** Reads a page with its total as the options say, or the total alone. */
export async function readPageAndTotal(
  request: TableRequest,
  page: PageRequest,
  { policy, countOnly }: TotalOptions,
): Promise<Page> {
  const { database, config } = request
  const source = { database, opened: request, config }
  if (countOnly) return countPage(source, page.plan)
  if (policy === 'none') return readOpenPage(source, page)
  if (policy === 'auto') return readOpenPage(source, page, {})
  if (typeof policy === 'object' && 'auto' in policy) return readOpenPage(source, page, policy.auto)
  return readPage(database, request, page, policy)
}

/**
 * Returns what ties a response to its request: its `request_seq`, and `query_hash`, equal for pages of the same rows.
 * The service's secret keeps clients from finding selections by trying hashes.
 */
export function echoRequest(request: TableRequest, plan: Plan, { sequence }: TotalOptions): Payload {
  if (sequence === undefined) return {}
  const { config } = request
  const hash = createHmac('sha256', deriveKey(config.SERVICE_SECRET, 'table-control name of a selection'))
    .update(describeSelection(request, plan, config).key)
    .digest('base64url')
  return { request_seq: sequence, query_hash: hash.slice(0, 22) }
}
