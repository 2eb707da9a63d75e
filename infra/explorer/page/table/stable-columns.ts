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
      endCutColumn(own, sheet)
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

function endCutColumn(frame: HTMLElement, sheet: CSSStyleSheet): void {
  const heads = findHeads(frame)
  const isRightToLeft = getComputedStyle(frame).direction === 'rtl'
  const edge = heads.at(-1)?.getBoundingClientRect()
  if (edge === undefined) return
  const at = heads.findIndex((head, place) => {
    const { left, right } = head.getBoundingClientRect()
    // The first columns stay in place and are never below the actions.
    if (place < 2 || place === heads.length - 1) return false
    return isRightToLeft ? left < edge.right - 1 && right > edge.right : right > edge.left + 1 && left < edge.left
  })
  const room = Math.abs(frame.scrollLeft) + frame.clientWidth < frame.scrollWidth - 1
  frame.classList.toggle('more', room)
  frame.style.setProperty('--totals', `${frame.querySelector('tfoot')?.offsetHeight ?? 0}px`)
  const cut = at < 0 ? undefined : heads[at]?.getBoundingClientRect()
  if (cut === undefined) {
    sheet.replaceSync('')
    return
  }
  const covered = Math.ceil(isRightToLeft ? edge.right - cut.left : cut.right - edge.left)
  const hidden = cut.width - covered < minVisible ? '> * { opacity: 0; }' : ''
  sheet.replaceSync(
    `@media screen { .data :is(tbody td, th):nth-child(${at + 1}) { padding-inline-end: ${covered + 4}px; ${hidden} } }`,
  )
}

/** Below this width a value would be an ellipsis alone. */
const minVisible = 28
