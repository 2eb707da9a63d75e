import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as z from 'zod/v4/core'
import type { AnyTableDefinition, Table, TableDefinition } from './definition.ts'
import type { ComputedSources, Relations, SourceKey } from './sources.ts'
import type { ShapeOf, SortableKey } from './table-shape.ts'

const allRows = sql`true`

/** The scope of a table in which every authenticated caller may see every row. Written on purpose, never assumed. */
export const everyRow = (): SQL => allRows

/** Whether a scope sets no restriction at all; such a scope costs no SQL. */
export const isEveryRow = (scope: SQL): boolean => scope === allRows

/**
 * Makes the `defineTable` of an installation whose token claims have the shape `Claims`.
 *
 * @example
 * export const defineTable = tableDefiner<z.output<typeof claims>>()
 */
export const tableDefiner =
  <Claims>() =>
  /**
   * Declares one table. The compiler refuses names that are neither attributes, `<relation>__<attribute>` nor computed;
   * what types cannot see is checked when the registry is built.
   */
  <
    const T extends PgTable,
    const R extends Relations = Record<never, never>,
    const C extends ComputedSources = Record<never, never>,
    K extends string = never,
    F extends string = never,
    A extends string = never,
    P extends z.$ZodType = z.$ZodUndefined,
    RI extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
    BI extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
    const N extends string = string,
    S extends K & SourceKey<T, R, C> = never,
    const Q extends Readonly<Record<string, unknown>> = Readonly<Record<never, never>>,
  >(
    definition: TableDefinition<Claims, T, R, C, K, F, A, P, RI, BI, N, S, Q>,
  ): Table<Claims, ShapeOf<N, K, F | A, S | SortableKey<Q>, P, RI, BI>> => ({
    // The type parameters have done their work; from here on keys are strings and rows are records.
    definition: definition as unknown as AnyTableDefinition,
  })
