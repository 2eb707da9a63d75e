import type { SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** The attributes of a drizzle table. */
export type Attribute<T extends PgTable> = keyof T['$inferSelect'] & string

/** A row that belongs to each row of the table: joined from the left, so its values can be null. */
export interface Relation {
  readonly table: PgTable
  /**
   * Local attribute -> attribute of the related table. The related side must be unique, so a join never multiplies
   * rows.
   */
  readonly on: Readonly<Record<string, string>>
  readonly relations?: Relations
}

export type Relations = Readonly<Record<string, Relation>>

/** SQL expressions over the table's own columns, by the key under which the table shows them. */
export type ComputedSources = Readonly<Record<string, SQL>>

/**
 * Repeats relations with every attribute name checked: a misspelt one does not compile, and its error lists the right
 * ones.
 */
export type CheckedRelations<T extends PgTable, R extends Relations> = {
  readonly [N in keyof R]: {
    readonly table: R[N]['table']
    readonly on: {
      readonly [A in keyof R[N]['on']]: A extends Attribute<T>
        ? R[N]['on'][A] extends Attribute<R[N]['table']>
          ? R[N]['on'][A]
          : { readonly 'no attribute of the related table, which has': Attribute<R[N]['table']> }
        : { readonly 'no attribute of the table it belongs to, which has': Attribute<T> }
    }
    readonly relations?: R[N] extends { readonly relations: infer S extends Relations }
      ? CheckedRelations<R[N]['table'], S>
      : never
  }
}

/** `<relation>__<attribute>`, to any depth. */
export type RelationKey<R extends Relations> = {
  [N in keyof R & string]:
    | `${N}__${Attribute<R[N]['table']>}`
    | (R[N] extends { readonly relations: infer S extends Relations } ? `${N}__${RelationKey<S>}` : never)
}[keyof R & string]

type RelationValue<R extends Relations, K extends string> = K extends `${infer N}__${infer A}`
  ? N extends keyof R
    ? A extends Attribute<R[N]['table']>
      ? R[N]['table']['$inferSelect'][A] | null
      : R[N] extends { readonly relations: infer S extends Relations }
        ? RelationValue<S, A>
        : never
    : never
  : never

/** Every key that a column, filter or sort can name. */
export type SourceKey<T extends PgTable, R extends Relations, C extends ComputedSources> =
  | Attribute<T>
  | RelationKey<R>
  | (keyof C & string)

/** The value that the database returns under a key. */
export type SourceValue<T extends PgTable, R extends Relations, C extends ComputedSources, K extends string> =
  K extends Attribute<T>
    ? T['$inferSelect'][K]
    : K extends keyof C
      ? C[K] extends SQL<infer V>
        ? V
        : never
      : RelationValue<R, K>

/** The facts about a column that drizzle's types keep. */
type ColumnFacts<T extends PgTable, K extends keyof T['_']['columns']> = T['_']['columns'][K]['_']

/** The attributes that rows lack, because their values are large: bytes and vectors. */
type LargeAttribute<T extends PgTable> = {
  [K in keyof T['_']['columns']]: unknown extends ColumnFacts<T, K>['data']
    ? never
    : ColumnFacts<T, K> extends
          | { readonly columnType: 'PgCustomColumn'; readonly data: Uint8Array }
          | { readonly columnType: 'PgVector' | 'PgHalfVector' | 'PgSparseVector' }
      ? K
      : never
}[keyof T['_']['columns']]

/**
 * A row as an author's functions see it: every attribute of the table that is not large, and the relation and computed
 * keys it shows.
 */
export type RowOf<T extends PgTable, R extends Relations, C extends ComputedSources, K extends string> = Readonly<
  Omit<T['$inferSelect'], LargeAttribute<T>> & {
    [P in Exclude<K & SourceKey<T, R, C>, Attribute<T>>]: SourceValue<T, R, C, P>
  }
>
