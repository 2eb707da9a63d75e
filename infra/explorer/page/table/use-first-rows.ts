import { useEffect, useState } from 'react'
import type { Item } from '../service/wire.ts'

/** Few enough to be drawn on a phone without holding up a tap. */
const rowsAtOnce = 5

/**
 * Returns the rows to draw: the first ones of a table a few at a time, so that the page answers in between, and all of
 * them from then on.
 */
export function useFirstRows(items: readonly Item[]): readonly Item[] {
  const [count, setCount] = useState(rowsAtOnce)
  const isPart = count < items.length
  useEffect(() => {
    if (!isPart) {
      if (items.length > 0) setCount(Number.POSITIVE_INFINITY)
      return
    }
    const timer = setTimeout(() => setCount(count + rowsAtOnce))
    return () => clearTimeout(timer)
  }, [isPart, count, items.length])
  return isPart ? items.slice(0, count) : items
}
