import type { AnyRow } from '../table/context.ts'
import type { Selection } from '../table/view.ts'

/** What functions get where none of them wants rows. */
export const noRow: AnyRow = Object.freeze(Object.create(null))

/** A row as an author's functions see it, with values as drizzle types them. */
export function authorRow({ row }: Pick<Selection, 'row'>, values: readonly unknown[]): AnyRow {
  if (row === undefined) return noRow
  const made: Record<string, unknown> = {}
  for (const { source, index } of row) made[source.key] = source.decode(values[index])
  return made
}
