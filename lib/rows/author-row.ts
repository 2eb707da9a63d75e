import type { AnyRow } from '../table/context.ts'
import type { Selection } from '../table/view.ts'

/** The row for functions of a table where none of them reads rows. */
export const noRow: AnyRow = Object.freeze(Object.create(null))

/** A row as an author's functions see it, with values as drizzle types them. */
export function authorRow({ row }: Pick<Selection, 'row'>, values: readonly unknown[]): AnyRow {
  if (row === undefined) return noRow
  const made: Record<string, unknown> = {}
  for (const { source, index } of row) made[source.key] = source.decode(values[index])
  return made
}
