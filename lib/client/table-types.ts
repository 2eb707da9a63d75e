import type { TableShape } from '../wire/table-shape.ts'
import type { CellValue, RowId } from './wire.ts'

/** The names and types of one table: `never` if it has none of a kind, `string` if any name is allowed. */
export interface TableTypes {
  /** The cells of an item by `data_src`, and its `id`. */
  readonly item: object
  readonly filter: string
  readonly sort: string
  readonly params: unknown
  /** The values that cells take, by column; absent for any column and any value. */
  readonly cells?: object
  /** The input of each action's form, by the action's key. */
  readonly rowActions: object
  readonly bulkActions: object
}

export interface AnyTable extends TableTypes {
  readonly item: { readonly id: RowId; readonly [column: string]: unknown }
  readonly rowActions: Readonly<Record<string, unknown>>
  readonly bulkActions: Readonly<Record<string, unknown>>
}

/** Tables with any names. */
export type AnyTables = Readonly<Record<string, AnyTable>>

/** The part of a registry whose type describes its tables. */
interface HasShape<Shape extends TableShape> {
  readonly shape?: Shape
  readonly tables: ReadonlyMap<string, unknown>
}

/** The tables of a registry, of `OpenApiTables`, or of a record written by hand. */
export type TablesOf<Source> =
  Source extends HasShape<infer Shape>
    ? { readonly [S in Shape as S['name']]: OfShape<S> }
    : Source extends Readonly<Record<string, TableTypes>>
      ? Source
      : AnyTables

interface OfShape<S extends TableShape> extends TableTypes {
  /** A column is absent where its condition hides it from the caller. */
  readonly item: { readonly id: RowId } & { readonly [Column in Exclude<S['column'], 'id'>]?: CellValue }
  readonly filter: S['filter']
  readonly sort: S['sort']
  readonly params: S['params']
  readonly cells: S['cells']
  readonly rowActions: S['rowActions']
  readonly bulkActions: S['bulkActions']
}

/** The keys of an object that are strings. As a conditional type, it is shown as these keys in the compiler's messages. */
export type KeyOf<T> = [T] extends [unknown] ? keyof T & string : never
