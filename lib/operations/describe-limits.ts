import { findLimit, type UsageLimit } from '../db/usage-limits.ts'
import { maxSorts } from '../query/plan.ts'
import { maxFilters } from '../query/request-forms.ts'
import { maxSelectedRows } from '../rows/row-id.ts'
import { maxInstantRows } from '../table/compile-actions.ts'
import type { TableRequest } from './table-request.ts'

/** Describes the limits of a caller. JSON leaves out a limit that is off. */
export function describeLimits({ config, table: { maxPerPage } }: TableRequest) {
  const describe = (kind: UsageLimit['kind']) => {
    const limit = findLimit(config, kind)
    return limit && { max: limit.max, seconds: limit.seconds }
  }
  return {
    page_size: maxPerPage,
    filters: maxFilters,
    sorts: maxSorts,
    selected_rows: maxSelectedRows,
    instant_rows: maxInstantRows,
    requests: describe('requests'),
    exports: describe('exports'),
    mails: describe('mails'),
    jobs: { unfinished: config.JOBS_PER_CALLER, running: config.RUNNING_JOBS_PER_CALLER },
    sockets: config.SOCKETS_PER_CALLER,
  }
}
