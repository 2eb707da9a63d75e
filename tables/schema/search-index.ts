import { sql } from 'drizzle-orm'
import { index, type PgColumn } from 'drizzle-orm/pg-core'

const foldColumn = (column: PgColumn) => sql`table_control.fold_text(${column}) gin_trgm_ops`

/**
 * The index by which texts in these columns are searched: of trigrams, over what `table_control.fold_text` makes of the
 * texts.
 */
export const searchIndex = (name: string, first: PgColumn, ...others: readonly PgColumn[]) =>
  index(name).using('gin', foldColumn(first), ...others.map(foldColumn))
