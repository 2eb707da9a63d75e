import { flushSync } from 'react-dom'
import type { RowsChange } from '../../../../lib/client/live.ts'
import type { Column, Id, Item } from '../service/wire.ts'
import { keepPlace, readTops, type ShownRows } from './kept-place.ts'

interface ShownChange {
  readonly frame: HTMLElement
  readonly columns: readonly Column[]
  readonly before: readonly Item[]
  readonly after: readonly Item[]
  readonly change: RowsChange
  /** Puts the rows into the table. */
  readonly draw: () => void
}

const flashMs = 1_800
const moveMs = 260
const leaveMs = 160

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Lets the rows fade that are about to leave, and returns what shows them again. Users who want no motion see them go
 * at once.
 */
export async function fadeRows(frame: HTMLElement, items: readonly Item[], ids: readonly Id[]): Promise<() => void> {
  if (isStill() || ids.length === 0) return () => undefined
  const rows = findRows(frame, items)
  const fading = ids.flatMap(
    (id) => rows.get(id)?.animate({ opacity: 0 }, { duration: leaveMs, fill: 'forwards' }) ?? [],
  )
  // An animation that is cancelled does not hold the rows back.
  await Promise.all(fading.map(({ finished }) => finished.catch(() => undefined)))
  return () => {
    for (const animation of fading) animation.cancel()
  }
}

/** Draws changed rows: they move to their places and flash for a moment, and the user stays where they are. */
export function showChange({ frame, columns, before, after, change, draw }: ShownChange): void {
  const rows = findRows(frame, before)
  const tops = readTops(rows)
  const restore = keepPlace(frame, rows, new Set([...change.changed, ...change.left]))
  flushSync(draw)
  restore()
  const drawn = findRows(frame, after)
  if (!isStill()) moveRows(frame, drawn, tops)
  for (const id of change.entered) flash([...(drawn.get(id)?.cells ?? [])])
  const known = new Map(before.map((item) => [item.id, item]))
  for (const item of after) {
    if (!change.changed.includes(item.id)) continue
    const was = known.get(item.id)
    // The first cell is the tick.
    flash(
      columns.flatMap(({ data_src: name }, at) =>
        isSame(was?.[name], item[name]) ? [] : (drawn.get(item.id)?.cells[at + 1] ?? []),
      ),
    )
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns the rows that stand for these items; none while a table is being drawn row by row. */
function findRows(frame: HTMLElement, items: readonly Item[]): ShownRows {
  const rows = [...frame.querySelectorAll<HTMLTableRowElement>('tbody > tr')]
  return new Map(rows.length === items.length ? items.map(({ id }, at) => [id, rows[at] as HTMLTableRowElement]) : [])
}

function moveRows(frame: HTMLElement, rows: ShownRows, tops: ReadonlyMap<Id, number>): void {
  const { top: start, bottom: end } = frame.getBoundingClientRect()
  const now = readTops(rows)
  for (const [id, row] of rows) {
    const from = tops.get(id)
    const to = now.get(id)
    if (from === undefined || to === undefined || Math.abs(from - to) < 1) continue
    // A row that comes from far away need not cross the screen.
    const isNear = from > start - row.clientHeight && from < end && to > start - row.clientHeight && to < end
    if (isNear) row.animate([{ transform: `translateY(${from - to}px)` }, {}], { duration: moveMs, easing: 'ease-out' })
  }
}

function flash(cells: readonly HTMLElement[]): void {
  const backgroundColor = 'var(--flash)'
  const kept = { backgroundColor, offset: isStill() ? 1 : 0.4 }
  for (const cell of cells) cell.animate([{ backgroundColor, offset: 0 }, kept], { duration: flashMs, id: 'live' })
}
