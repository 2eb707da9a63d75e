import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { focusable } from './focusable.ts'

/** Returns the index of the row to which a key leads from the one at `from`. */
const targets: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowDown: (from) => from + 1,
  ArrowUp: (from) => from - 1,
  Home: () => 0,
  End: (_, last) => last,
}

/** Lets the keys up, down, Home and End move the focus between rows: by Tab, the pager is two keys for each row away. */
export function useRowKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, altKey, metaKey, shiftKey } = event
      const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('#rows .data :is(th, td)') : null
      const find = targets[key]
      if (cell === null || find === undefined || ctrlKey || altKey || metaKey || shiftKey) return
      const rows = [...document.querySelectorAll<HTMLTableRowElement>('#rows tbody tr')]
      const from = rows.findIndex((row) => row.contains(cell))
      const row = rows[find(from, rows.length - 1)]
      if (row === undefined) return
      event.preventDefault()
      focusCell(row, cell.cellIndex)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Focuses the control of a cell, or else the first one of its row. */
function focusCell(row: HTMLTableRowElement, at: number): void {
  const find = () => row.cells[at]?.querySelector<HTMLElement>(focusable)
  // The buttons of cells are drawn when the focus comes into their row: at once, because another key may follow.
  flushSync(() => (find() ?? row.querySelector<HTMLElement>(focusable))?.focus())
  find()?.focus()
}
