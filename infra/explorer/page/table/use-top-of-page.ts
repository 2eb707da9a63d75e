import { type RefObject, useEffect, useRef } from 'react'

/** Scrolls to the first row when the rows are those of another page, sort or filter. */
export function useTopOfPage(frame: RefObject<HTMLElement | null>, place: string): void {
  const before = useRef(place)
  useEffect(() => {
    if (before.current !== place && frame.current !== null) frame.current.scrollTop = 0
    before.current = place
  }, [frame, place])
}
