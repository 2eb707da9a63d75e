import type { AnyScope } from './compiled-table.ts'

/** What a response of a table depends on beside the table itself. */
export interface RequestContext extends AnyScope {
  /** The IANA time zone in which this table's dates are read and written. */
  readonly timeZone: string
  /** In front of every embedded URL: scheme and host without a final slash, or nothing for relative URLs. */
  readonly baseUrl: string
  /** Where an item carries its actions: under `row.actions`, under `actions`, or both. */
  readonly itemActions: 'both' | 'row' | 'actions'
}
