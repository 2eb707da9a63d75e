import type { Bilingual } from '../i18n/language.ts'
import type { CompiledColumn, CompiledFilter } from '../table/compiled-table.ts'
import type { Period } from '../table/context.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import type { Condition } from './compare.ts'
import type { ReadFilter, ReadOperand } from './filter-condition.ts'
import type { GroupKey, ValueDigest } from './group-keys.ts'

/** A group of filters as it was applied: `all`, `any` or `none` of its parts must hold. */
export interface AppliedGroup {
  readonly kind: 'all' | 'any' | 'none'
  readonly parts: readonly (AppliedGroup | AppliedLeaf)[]
}

export interface AppliedLeaf {
  readonly filter: CompiledFilter
  readonly read: ReadFilter
}

/** The groups of a request, ready to be written into a statement. */
export interface ReadGroups {
  readonly conditions: readonly Condition[]
  readonly filtered: readonly Source[]
  readonly applied: AppliedGroup
  /** Equal for groups that select the same rows. */
  readonly meaning: unknown
}

/** A search of a request as it was applied: each term must occur in one of the columns. */
export interface AppliedSearch {
  readonly terms: readonly SearchTerm[]
  readonly columns: readonly SearchedColumn[]
}

/** A column whose values the database holds. */
export interface SearchedColumn extends CompiledColumn {
  readonly source: Source
}

export interface SearchTerm {
  readonly typed: string
  readonly folded: string
  /** Whether it must begin a word. Longer terms may occur anywhere. */
  readonly beginsWord: boolean
}

/** The search of a request, ready to be written into a statement. */
export interface ReadSearch {
  /** Absent where no word is long enough. */
  readonly applied: AppliedSearch | undefined
  readonly conditions: readonly Condition[]
  /** Whether a word was too short to be searched for. */
  readonly hasShortWord: boolean
  readonly filtered: readonly Source[]
  /** Equal for searches that select the same rows. */
  readonly meaning: unknown
}

/** A key of an opened group: its value as text or its digest, which only the database reads, and as people read it. */
export interface OpenedKey {
  readonly key: GroupKey
  readonly value: string | ValueDigest | null
  readonly text: string
}

/** One of the groups that `group_by` has made, ready to be written into a statement. */
export interface ReadGroup {
  readonly conditions: readonly Condition[]
  readonly filtered: readonly Source[]
  readonly opened: readonly OpenedKey[]
  readonly meaning: unknown
}

/** A period of a request, such as `last_7_days`, and what it means there. */
export interface ResolvedPeriod extends Period {
  readonly field: string
  readonly operator: 'within'
  readonly value: string
}

/** Reads the parts of one request that few requests have. */
export interface PlanExtensions {
  /** The time zone of the request, in which periods begin and end. */
  readonly timeZone: string
  readonly readOperand: ReadOperand
  /**
   * The moment from which periods are counted, in epoch milliseconds: that of the request, or one on the day that its
   * cursor or token names.
   */
  readonly now: number
  /** The periods that were read so far, each once. */
  readonly resolved: readonly ResolvedPeriod[]
  /**
   * Returns the day from which the periods read so far are counted, in days since 1970; `undefined` if no period was
   * read.
   */
  readonly readDay: () => number | undefined
  /**
   * Reads `filter_groups`. Faults are added by their path, and then the result is `undefined`, as it is where there are
   * no groups.
   */
  readonly readGroups: (view: TableView, fields: Record<string, readonly Bilingual[]>) => ReadGroups | undefined
  /**
   * Reads `search`. Faults are added by their path, and then the result is `undefined`, as it is where there is none.
   */
  readonly readSearch: (view: TableView, fields: Record<string, readonly Bilingual[]>) => ReadSearch | undefined
  /**
   * Opens `group`, which was made for the rows of `meaning`; `undefined` where none is asked for. The first call
   * decides for all plans of the request.
   */
  readonly openGroup: (meaning: unknown) => ReadGroup | undefined
}
