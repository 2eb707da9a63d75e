import type { MouseEvent } from 'react'

/** The text may change: screen readers would read what it was. */
const forgetText = ({ currentTarget }: Event) => (currentTarget as Element).removeAttribute('title')

/** Gives a cell whose text does not fit the whole of it as its tooltip, while the pointer is on it. */
export function showWholeText({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>(':is(thead, tbody) :is(th, td)') : null
  if (cell === null) return
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>('*')].some(
    (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0,
  )
  if (isCut) cell.title = (cell.textContent ?? '').trim()
  else cell.removeAttribute('title')
  cell.addEventListener('mouseleave', forgetText, { once: true })
}
