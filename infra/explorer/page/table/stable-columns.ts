import { type RefObject, useEffect, useLayoutEffect } from 'react'

const findHeads = (frame: HTMLElement) => [...frame.querySelectorAll<HTMLTableCellElement>('thead th')]

/**
 * Keeps the column widths of the first rows of `key`, so that columns do not jump from page to page. Measures again
 * when the frame changes its size.
 */
export function useStableColumns(frame: RefObject<HTMLElement | null>, key: string, hasRows: boolean): void {
  useLayoutEffect(() => {
    const own = frame.current
    if (own === null || !hasRows || key === '') return
    let width: number | undefined
    const fixOnce = () => {
      if (own.clientWidth === width) return
      width = own.clientWidth
      fix(own)
    }
    const observer = new ResizeObserver(fixOnce)
    const follow = () => {
      fixOnce()
      observer.observe(own)
    }
    const wasFixed = isFixed(own)
    if (wasFixed) follow()
    // Columns that were not fixed before keep their widths now: that can wait until the rows are painted.
    const cancel = wasFixed ? undefined : afterPaint(follow)
    return () => {
      cancel?.()
      observer.disconnect()
    }
  }, [frame, key, hasRows])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key has other columns
  useEffect(() => {
    const own = frame.current
    if (own === null || !hasRows) return
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
    let waiting = 0
    const draw = () => {
      waiting = 0
      endCutColumns(own, sheet)
    }
    const follow = () => {
      waiting ||= requestAnimationFrame(draw)
    }
    const observer = new ResizeObserver(follow)
    observer.observe(own)
    own.addEventListener('scroll', follow, { passive: true })
    return () => {
      cancelAnimationFrame(waiting)
      observer.disconnect()
      own.removeEventListener('scroll', follow)
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    }
  }, [frame, key, hasRows])
}

/** Runs something in a task of its own when the browser has painted. Returns a function that cancels it. */
function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const request = requestAnimationFrame(() => {
    timer = setTimeout(run)
  })
  return () => {
    cancelAnimationFrame(request)
    clearTimeout(timer)
  }
}

const isFixed = (frame: HTMLElement): boolean => frame.querySelector('table.stable') !== null

function fix(frame: HTMLElement): void {
  const table = frame.querySelector<HTMLTableElement>('table')
  if (table === null) return
  const heads = findHeads(frame)
  table.classList.remove('stable')
  table.style.inlineSize = ''
  for (const head of heads) head.style.inlineSize = ''
  const widths = heads.map((head) => Math.ceil(head.getBoundingClientRect().width))
  for (const [at, head] of heads.entries()) head.style.inlineSize = `${widths[at]}px`
  table.style.inlineSize = `${widths.reduce((sum, width) => sum + width, 0)}px`
  table.classList.add('stable')
}

/** Lets values end where columns begin that stay in place: cut by them, 120 would read as 12 or as 20. */
function endCutColumns(frame: HTMLElement, sheet: CSSStyleSheet): void {
  const isRightToLeft = getComputedStyle(frame).direction === 'rtl'
  // Counted from where reading starts, both directions are alike.
  const columns = findHeads(frame).map((head) => {
    const { left, right } = head.getBoundingClientRect()
    return isRightToLeft ? { start: -right, end: -left } : { start: left, end: right }
  })
  const [from, to] = [columns[1]?.end ?? 0, columns.at(-1)?.start ?? 0]
  const rules = columns.slice(2, -1).flatMap(({ start, end }, at) => {
    const before = end > from && start < from - 1 ? Math.ceil(from - start) : 0
    const after = start < to && end > to + 1 ? Math.ceil(end - to) : 0
    if (before + after === 0) return []
    const hidden = end - start - before - after < minVisible ? '> * { opacity: 0; }' : ''
    const paddings = [
      before && `padding-inline-start: ${before + 4}px;`,
      after && `padding-inline-end: ${after + 4}px;`,
    ]
    return `.data :is(tbody td, th):nth-child(${at + 3}) { ${paddings.filter(Boolean).join(' ')} ${hidden} }`
  })
  const hasMore = Math.abs(frame.scrollLeft) + frame.clientWidth < frame.scrollWidth - 1
  frame.classList.toggle('more', hasMore)
  frame.style.setProperty('--totals', `${frame.querySelector('tfoot')?.offsetHeight ?? 0}px`)
  sheet.replaceSync(`@media screen { ${rules.join(' ')} }`)
}

/** Below this width a value would be an ellipsis alone. */
const minVisible = 28
