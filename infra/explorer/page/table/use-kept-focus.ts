import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/** Moves the focus to the next row's actions when the row that had it is gone: else it would be nowhere. */
export function useKeptFocus(frame: RefObject<HTMLElement | null>, rows: unknown): void {
  const focused = useRef(-1)
  useEffect(() => {
    const own = frame.current
    const remember = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest<HTMLTableRowElement>('tbody tr') : null
      focused.current = row === null ? -1 : row.sectionRowIndex
    }
    // Focus that leaves a control which stays is no longer the row's, also if a click beside it put it nowhere.
    const forget = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) focused.current = -1
      else
        queueMicrotask(() => {
          if (target instanceof Element && target.isConnected && target !== document.activeElement) focused.current = -1
        })
    }
    own?.addEventListener('focusin', remember)
    own?.addEventListener('focusout', forget)
    return () => {
      own?.removeEventListener('focusin', remember)
      own?.removeEventListener('focusout', forget)
    }
  }, [frame])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may have taken the focus away
  useLayoutEffect(() => {
    const own = frame.current
    if (own === null || focused.current < 0 || document.activeElement !== document.body) return
    const buttons = [...own.querySelectorAll<HTMLElement>('tbody .row-actions button')]
    ;(buttons[Math.min(focused.current, buttons.length - 1)] ?? own).focus()
  }, [frame, rows])
}
