import type { CompiledColumn, CompiledTable } from './compiled-table.ts'
import type { Source } from './source.ts'

/** One value that a statement reads for each row. */
export interface Field {
  readonly source: Source
  /** Set where the database writes the cell's text, as it does for dates: a `to_char` template. */
  readonly datePattern: string | undefined
}

/** What a statement reads, and at which place in its rows. */
export interface Selection {
  readonly fields: readonly Field[]
  /** The place of the key. */
  readonly key: number
  /** The place of each column's cell, in the order of the columns; `undefined` for a virtual one. */
  readonly cells: readonly (number | undefined)[]
  /** The values of an author's row; absent where no function wants rows. */
  readonly row: readonly { readonly source: Source; readonly index: number }[] | undefined
}

/** The values that the cells of these columns, and the functions of the table's author, need. */
export const selectionOf = (table: CompiledTable, columns: readonly CompiledColumn[]): Selection =>
  selected(table, columns, columns, table.readsWholeRows)

/** The values that an author's row is made of, for a caller who sees these columns; no cells. */
export const rowSelectionOf = (table: CompiledTable, columns: readonly CompiledColumn[]): Selection =>
  selected(table, columns, [], true)

function selected(
  table: CompiledTable,
  columns: readonly CompiledColumn[],
  formatted: readonly CompiledColumn[],
  wholeRows: boolean,
): Selection {
  const fields: Field[] = []
  const places = new Map<string, number>()
  const place = (source: Source, datePattern: string | undefined): number => {
    const name = `${datePattern ?? ''}|${source.key}`
    const index = places.get(name) ?? fields.push({ source, datePattern }) - 1
    places.set(name, index)
    return index
  }
  const key = place(table.key, undefined)
  const cells = formatted.map(({ source, datePattern }) =>
    source === undefined ? undefined : place(source, datePattern),
  )
  const own = [...table.sources.values()].filter(({ join, kind }) => join === undefined && kind !== 'unknown')
  const shown = columns.flatMap(({ source }) => source ?? [])
  const row = wholeRows
    ? [...new Set([...own, ...shown])].map((source) => ({ source, index: place(source, undefined) }))
    : undefined
  return { fields, key, cells, row }
}
