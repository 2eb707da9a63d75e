import { type RefObject, useEffect, useRef } from 'react'
import { selectText } from '../ui/select-text.ts'

/**
 * Focuses the field of an element, or else its safest button, when it appears: it comes later than the popup around it.
 */
export function useFirstFocus<Element extends HTMLElement>(): RefObject<Element | null> {
  const own = useRef<Element>(null)
  useEffect(() => {
    const first = own.current?.querySelector<HTMLElement>('.field,[type=checkbox],.safe')
    selectText(first)
    first?.focus()
    // A dialog takes the focus of a control that was hidden, once more in the next frame.
    const request = requestAnimationFrame(() => {
      if (own.current !== null && document.activeElement?.contains(own.current) === true) first?.focus()
    })
    return () => cancelAnimationFrame(request)
  }, [])
  return own
}
