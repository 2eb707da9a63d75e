import type { ShownRows } from '../push/subscriptions.ts'

type Id = ShownRows[number][0]

/** The differences between a page and the rows that its watcher shows. */
export interface WindowChange {
  readonly changed: ReadonlySet<Id>
  readonly entered: ReadonlySet<Id>
  readonly left: readonly Id[]
  /** True if rows that stay are in another order, or others came between them. */
  readonly isMoved: boolean
}

/** Compares a page with the rows that were shown before; `undefined` if it is the same. */
export function compareWindows(before: ShownRows, after: ShownRows): WindowChange | undefined {
  const digests = new Map(before)
  const present = new Set(after.map(([id]) => id))
  const entered = new Set(after.filter(([id]) => !digests.has(id)).map(([id]) => id))
  const changed = after.filter(([id, digest]) => digests.has(id) && digests.get(id) !== digest).map(([id]) => id)
  const left = before.filter(([id]) => !present.has(id)).map(([id]) => id)
  const isMoved = before.length !== after.length || before.some(([id], index) => id !== after[index]?.[0])
  if (changed.length === 0 && !isMoved) return undefined
  return { changed: new Set(changed), entered, left, isMoved }
}
