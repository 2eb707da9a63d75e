import { useEffect } from 'react'

/** The parts of cells that are no values. */
const controls = '.tick, .row-actions, .unseen, .square, .sort-mark'

/**
 * Copies cells as a spreadsheet takes them: one beside the other, empty where there is no value, and without boxes and
 * buttons. The text of one cell is copied by the browser.
 */
export function useCopiedCells(): void {
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const selection = getSelection()
      const range = selection?.isCollapsed === false ? selection.getRangeAt(0) : undefined
      const { commonAncestorContainer: node } = range ?? {}
      const around = node instanceof Element ? node : node?.parentElement
      if (range === undefined || !around?.closest('#rows')) return
      const table = document.createElement('table')
      table.append(range.cloneContents())
      for (const control of table.querySelectorAll(controls)) control.remove()
      for (const missing of table.querySelectorAll('.missing')) missing.textContent = ''
      const rows = table.querySelector('tr') === null ? [table] : [...table.querySelectorAll('tr')]
      const texts = rows.map((row) => [...row.querySelectorAll('th, td')].map(readText))
      if (texts.flat().filter((text) => text !== '').length < 2) return
      event.preventDefault()
      event.clipboardData?.setData('text/plain', texts.map((row) => row.join('\t')).join('\n'))
      event.clipboardData?.setData('text/html', table.outerHTML)
    }
    addEventListener('copy', copy)
    return () => removeEventListener('copy', copy)
  }, [])
}

/** Reads a cell in one line, with all values of a list. */
function readText(cell: Element): string {
  const list = cell.querySelector<HTMLElement>('.list')?.title.split('\n').join(', ')
  return (list ?? cell.textContent ?? '').replace(/\s+/g, ' ').trim()
}
