import { type RefObject, useEffect, useRef } from 'react'

/**
 * Focuses the field of an element, or else its safest button, when it appears: it comes later than the popup around it.
 */
export function useFirstFocus<Element extends HTMLElement>(): RefObject<Element | null> {
  const own = useRef<Element>(null)
  useEffect(() => own.current?.querySelector<HTMLElement>('.field,[type=checkbox],.safe')?.focus(), [])
  return own
}
