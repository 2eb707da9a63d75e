import { useEffect, useLayoutEffect, useRef } from 'react'
import { compareItems, type RowsChange } from '../../../../lib/client/live.ts'
import type { Column, Id, Item, Pagination, Structure } from '../service/wire.ts'
import type { useRows } from '../state/use-table.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { toggleLive } from './live-choice.ts'
import { LiveSwitch } from './live-switch.tsx'
import { fadeRows, showChange } from './show-change.ts'
import { useLiveRows } from './use-live-rows.ts'
import { useLiveTotal } from './use-live-total.ts'
import { useSummary } from './use-summary.ts'

export interface LiveRowsProps {
  readonly view: View
  readonly structure: Structure
  /** The columns on the screen. */
  readonly columns: readonly Column[]
  readonly rows: ReturnType<typeof useRows>
  /** Whether a menu, an editor or a dialog is open: the rows must not move. */
  readonly isPaused: boolean
  /** Reloads the totals below the rows. */
  readonly refresh: () => void
  /** Grows when this user has changed rows. */
  readonly round: number
}

interface Waiting {
  readonly items: readonly Item[]
  readonly fresh: ReadonlySet<Id>
}

/** The focus is back in the table by then. */
const resumeDelayMs = 350

/** Keeps the rows on the screen as the service has them, and says so. */
export const LiveRows = ({ view, structure, columns, rows, isPaused, refresh, round }: LiveRowsProps) => {
  const { t } = useWords()
  const { text, add } = useSummary()
  const countAgain = useLiveTotal(view, (total) => {
    rows.put((response) => ({ ...response, live: placeTotal(response.pagination, response.items.length, total) }))
    if (view.totals.length > 0) refresh()
  })
  const waiting = useRef<Waiting>(undefined)
  const isDrawing = useRef(false)
  const { place } = rows.response ?? {}
  const { since, isFirstDrawn } = useSince(round, place, waiting)
  const latest = useRef({ rows, columns, isPaused })
  latest.current = { rows, columns, isPaused }
  const isPressed = usePressed(() => void drawWaiting())
  const follow = (change: RowsChange) => {
    add(change)
    if (change.entered.length + change.left.length + view.totals.length > 0) countAgain()
  }
  async function drawWaiting(): Promise<void> {
    if (isDrawing.current) return
    isDrawing.current = true
    try {
      while (waiting.current !== undefined && !latest.current.isPaused && !isPressed.current) {
        const before = latest.current.rows.response?.items ?? []
        const frame = document.getElementById('rows')
        const { left = [] } = merge(before, waiting.current).change ?? {}
        const showAgain = frame && (await fadeRows(frame, before, left))
        const taken = waiting.current
        waiting.current = undefined
        showAgain?.()
        // The user has opened another page meanwhile.
        if (taken === undefined) continue
        isFirstDrawn.current = true
        const now = latest.current.rows.response
        const { items, change } = merge(now?.items ?? [], taken)
        if (change === undefined || now === undefined) continue
        const draw = () =>
          latest.current.rows.put((response) =>
            response.place === now.place
              ? { ...response, items, live: placeRows(response.live ?? response.pagination, items.length) }
              : response,
          )
        if (frame === null) draw()
        else showChange({ frame, columns: latest.current.columns, before: now.items, after: items, change, draw })
        follow(change)
      }
    } finally {
      isDrawing.current = false
    }
  }
  const { isOn, sign, error } = useLiveRows({
    table: view.table ?? '',
    structure,
    rows,
    since,
    onRows: (items, fresh) => {
      waiting.current = { items, fresh: new Set([...(waiting.current?.fresh ?? []), ...fresh]) }
      void drawWaiting()
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is drawn when nothing is open any more
  useEffect(() => {
    if (isPaused) return
    const timer = setTimeout(() => void drawWaiting(), resumeDelayMs)
    return () => clearTimeout(timer)
  }, [isPaused])
  const reason = error && failureText(error, t)
  // A service without sockets has no live rows.
  if (sign === 'ended' && (error?.status ?? 0) >= 400) return null
  return (
    <>
      <LiveSwitch isOn={isOn} reason={reason} sign={isOn ? sign : 'off'} onSwitch={toggleLive} />
      <span className="unseen" role="status">
        {text}
      </span>
    </>
  )
}

/**
 * Names the time since which rows are watched. The first ones may be older than a change of this user that is answered
 * before they are drawn: they are then asked for again.
 */
function useSince(round: number, place: string | undefined, waiting: { current: Waiting | undefined }) {
  const isFirstDrawn = useRef(false)
  const since = useRef(round)
  if (!isFirstDrawn.current) since.current = round
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is of another page, or of the time before
  useLayoutEffect(() => {
    waiting.current = undefined
    isFirstDrawn.current = false
  }, [place, since.current])
  return { since: since.current, isFirstDrawn }
}

/**
 * Returns the page with what is new in it. Other rows stay as they are: this user may have changed them a moment ago.
 */
function merge(shown: readonly Item[], { items, fresh }: Waiting) {
  const known = new Map(shown.map((item) => [item.id, item]))
  return compareItems(
    shown,
    items.map((item) => {
      const own = known.get(item.id)
      return own !== undefined && (!fresh.has(item.id) || isSameRow(own, item)) ? own : item
    }),
  )
}

/** Whether two items are drawn alike. They may differ in what the structure says of their actions as well. */
const isSameRow = (one: Item, other: Item): boolean => describeItem(one) === describeItem(other)

function describeItem({ row, actions: _, ...cells }: Item): string {
  const actions = Object.entries(row?.actions ?? {}).map(([key, own]) => [
    key,
    own?.enabled,
    own?.reason,
    own?.toggle_current_value,
    own?.copy_value,
  ])
  return JSON.stringify([cells, actions])
}

/** Returns the pagination of a page that has `count` rows now. */
function placeRows(shown: Pagination, count: number): Pagination {
  const before = (shown.current_page - 1) * shown.per_page
  return {
    ...shown,
    total: Math.max(shown.total, before + count),
    ...(count > 0 ? { from: before + 1, to: before + count } : { from: null, to: null }),
  }
}

/** Returns the pagination of a page by the number of all rows. */
const placeTotal = (shown: Pagination, count: number, { total }: Pagination): Pagination =>
  placeRows({ ...shown, total, total_kind: 'exact', last_page: Math.max(1, Math.ceil(total / shown.per_page)) }, count)

/** Whether a pointer is pressed in the table: what is pressed must not move. `release` is called afterwards. */
function usePressed(release: () => void) {
  const isPressed = useRef(false)
  const latest = useRef(release)
  latest.current = release
  useEffect(() => {
    const press = ({ target }: PointerEvent) => {
      isPressed.current = target instanceof Element && target.closest('#rows tbody') !== null
    }
    const end = () => {
      if (!isPressed.current) return
      isPressed.current = false
      // The click comes first.
      setTimeout(() => latest.current())
    }
    addEventListener('pointerdown', press)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    return () => {
      removeEventListener('pointerdown', press)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
    }
  }, [])
  return isPressed
}
