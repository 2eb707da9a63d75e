import type { Identity } from '../auth/identity.ts'
import type { DatabaseSession } from '../db/database.ts'
import type { Language } from '../i18n/language.ts'

/** The request as the functions of a table see it. */
export interface RequestContext<Claims, Params> {
  readonly identity: Identity<Claims>
  /** The request's `params` after the table's own schema; `undefined` for a table without one. */
  readonly params: Params
  readonly language: Language
  readonly guard: string
}

export type FilterScalar = string | number | boolean

/** A filter of the request that passed its checks, as a binding sees it. */
export interface AppliedFilter {
  readonly operator: string
  readonly value: FilterScalar | readonly FilterScalar[] | { readonly from?: string; readonly to?: string }
  /** Set for `within`. */
  readonly resolved?: Period
}

/** The bounds of a period: days, or moments with the offset of their time zone. `to` is the first one after it. */
export interface Period {
  readonly from: string
  readonly to: string
}

export interface Option {
  readonly value: string | number
  readonly label: string
}

/**
 * Returns the options of a field for this request. It runs beside the page's own statement, so it must not wait for it;
 * `filters` holds what the client chose, by filter name.
 */
export type BindingFunction<Scope> = (
  context: Scope & {
    readonly db: DatabaseSession
    readonly filters: Readonly<Partial<Record<string, AppliedFilter>>>
  },
) => readonly Option[] | PromiseLike<readonly Option[]>

/** The context of a table's response beside the table itself. */
export interface ResponseContext extends AnyContext {
  /** The IANA time zone in which this table's dates are read and written. */
  readonly timeZone: string
  /** In front of every embedded URL: scheme and host without a final slash, or nothing for relative URLs. */
  readonly baseUrl: string
  /** `params` as the client sent them, before the table's schema: every action URL carries them. */
  readonly sentParams: Readonly<Record<string, unknown>>
  /** The place of an item's actions; `keys` means under `row.actions`, without the parts that the structure has. */
  readonly itemActions: 'both' | 'row' | 'actions' | 'keys' | 'none'
  /** Whether the structure lists advanced filters among the others as well. */
  readonly advancedFilters: 'repeated' | 'separate'
  /** Whether the guard `web` is on, so that URLs on it lead somewhere. */
  readonly hasWeb: boolean
  /** Whether the service sends mails; without, no action that sends one is offered. */
  readonly hasMail: boolean
}

export type AnyContext = RequestContext<Record<string, unknown>, unknown>

export type AnyRow = Readonly<Record<string, unknown>>
