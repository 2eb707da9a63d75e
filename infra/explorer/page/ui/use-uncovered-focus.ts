import { useEffect } from 'react'

/**
 * Scrolls the rows sideways when a key moves the focus below a column that stays in place. The filters of a phone are
 * scrolled to one that is cut by the edge.
 */
export function useUncoveredFocus(): void {
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !target.matches(':focus-visible')) return
      // The browser scrolls first, and takes both for visible.
      requestAnimationFrame(() => {
        if (target.matches('#rows .data:not(.grouped) *')) uncover(target)
        else if (target.matches('.filters *')) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      })
    }
    addEventListener('focusin', follow)
    return () => removeEventListener('focusin', follow)
  }, [])
}

function uncover(control: Element): void {
  const cells = [...(control.closest('tr')?.children ?? [])]
  const at = cells.findIndex((cell) => cell.contains(control))
  const [first, last] = [cells[1], cells.at(-1)]
  if (at < 2 || first === undefined || last === undefined || cells[at] === last) return
  const box = control.getBoundingClientRect()
  const [start, end] = [first.getBoundingClientRect(), last.getBoundingClientRect()]
  const [left, right] = start.left < end.left ? [start.right, end.left] : [end.right, start.left]
  const distance = Math.max(0, box.right - right) || Math.min(0, box.left - left)
  control.closest('.table-frame')?.scrollBy({ left: distance })
}
