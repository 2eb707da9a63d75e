import type { MouseEvent } from 'react'

/** Gives a cell whose text does not fit the whole of it as its tooltip. */
export function showWholeText({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>(':is(thead, tbody) :is(th, td)') : null
  if (cell === null) return
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>('*')].some(
    (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0,
  )
  if (isCut) cell.title = (cell.textContent ?? '').trim()
  else cell.removeAttribute('title')
}
