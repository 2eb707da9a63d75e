import type { RowId } from './wire.ts'

interface RowEvent<Event extends string, Data> {
  readonly event: Event
  /** The id of the subscription. */
  readonly id: string
  /** Counts the messages of a subscription from 1. */
  readonly seq: number
  readonly data: Data
}

interface ChangedOrder {
  /** All ids of the page in their order, in the last message of a change that has changed it. */
  readonly order?: readonly RowId[]
}

/** A message about the rows of a page that is watched. */
export type RowMessage<I> =
  | RowEvent<'rows.changed' | 'rows.entered', ChangedOrder & { readonly items: readonly I[] }>
  | RowEvent<'rows.left', ChangedOrder & { readonly ids: readonly RowId[] }>
  | RowEvent<'rows.stale', { readonly reason: string }>
  | RowEvent<
      'rows.ended',
      { readonly success: false; readonly code: string; readonly errors: readonly string[]; readonly message: string }
    >

/**
 * `current`: the page is as the last change left it. `changing`: the rest of a change is still to come. `stale`: the
 * page must be asked for again. `ended`: nothing follows.
 */
export type LiveStatus = 'current' | 'changing' | 'stale' | 'ended'

export interface LivePage<I> {
  readonly items: readonly I[]
  /** The number of the last message; 0 for a page that was just asked for. */
  readonly seq: number
  readonly status: LiveStatus
}

interface HasId {
  readonly id: RowId
}

/**
 * Applies a message to a page. A message that was applied before changes nothing, and a number that is missing makes
 * the page stale.
 */
export function applyRowMessage<I extends HasId>(page: LivePage<I>, message: RowMessage<I>): LivePage<I> {
  const { event, seq, data } = message
  if (seq <= page.seq || page.status === 'stale' || page.status === 'ended') return page
  if (seq > page.seq + 1 || event === 'rows.stale') return { ...page, seq, status: 'stale' }
  if (event === 'rows.ended') return { ...page, seq, status: 'ended' }
  const rows = new Map(page.items.map((item) => [String(item.id), item]))
  if (event === 'rows.left') for (const id of data.ids) rows.delete(String(id))
  else
    for (const item of data.items)
      if (event === 'rows.entered' || rows.has(String(item.id))) rows.set(String(item.id), item)
  const items = data.order?.flatMap((id) => rows.get(String(id)) ?? []) ?? [...rows.values()]
  // Rows that leave or enter change the order, which the last message of the change has.
  const status = event === 'rows.changed' || data.order !== undefined ? 'current' : 'changing'
  return { items, seq, status }
}

/** The rows that differ between two pages. */
export interface RowsChange {
  readonly entered: readonly RowId[]
  readonly changed: readonly RowId[]
  readonly left: readonly RowId[]
  /** True if rows that stay are in another order, or others came between them. */
  readonly isMoved: boolean
}

/** Compares two pages. Equal items keep their identity, so that a grid draws only what has changed. */
export function compareItems<I extends HasId>(
  before: readonly I[],
  after: readonly I[],
): { readonly items: readonly I[]; readonly change: RowsChange | undefined } {
  const known = new Map(before.map((item) => [String(item.id), item]))
  const entered: RowId[] = []
  const changed: RowId[] = []
  const items = after.map((item) => {
    const was = known.get(String(item.id))
    known.delete(String(item.id))
    if (was === undefined) entered.push(item.id)
    else if (was === item || JSON.stringify(was) === JSON.stringify(item)) return was
    else changed.push(item.id)
    return item
  })
  const left = [...known.values()].map(({ id }) => id)
  const isMoved = before.length !== after.length || before.some(({ id }, index) => id !== after[index]?.id)
  const isSame = changed.length === 0 && !isMoved
  return isSame ? { items: before, change: undefined } : { items, change: { entered, changed, left, isMoved } }
}
