import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Language } from '../i18n/language.ts'
import type { AnyScope, CompiledTable } from './compiled-table.ts'

/** What a response of a table depends on beside the table itself. */
export interface RequestContext extends AnyScope {
  /** The IANA time zone in which this table's dates are read and written. */
  readonly timeZone: string
  /** In front of every embedded URL: scheme and host without a final slash, or nothing for relative URLs. */
  readonly baseUrl: string
  /** `params` as the client sent them, before the table's schema: every action URL carries them. */
  readonly sentParams: Readonly<Record<string, unknown>>
  /** Where an item carries its actions: under `row.actions`, under `actions`, or both. */
  readonly itemActions: 'both' | 'row' | 'actions'
  /** Whether the structure lists advanced filters among the others as well. */
  readonly advancedFilters: 'repeated' | 'separate'
  /** Whether the guard `web` is on, so that URLs on it lead somewhere. */
  readonly hasWeb: boolean
}

interface Caller {
  readonly identity: Identity
  readonly language: Language
  readonly guard: string
  readonly baseUrl: string
  readonly config: Pick<Config, 'TIME_ZONE' | 'ITEM_ACTIONS' | 'ADVANCED_FILTERS' | 'GUARDS'>
}

/** What a table's functions and every response of it depend on, for this caller and these `params`. */
export const requestContext = (
  { identity, language, guard, baseUrl, config }: Caller,
  table: CompiledTable,
  params: unknown,
  sentParams: RequestContext['sentParams'] = {},
): RequestContext => ({
  identity,
  params,
  sentParams,
  language,
  guard,
  timeZone: table.timeZone ?? config.TIME_ZONE,
  baseUrl,
  itemActions: config.ITEM_ACTIONS,
  advancedFilters: config.ADVANCED_FILTERS,
  hasWeb: config.GUARDS.includes('web'),
})
