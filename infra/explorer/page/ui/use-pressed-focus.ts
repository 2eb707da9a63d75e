import { useEffect } from 'react'

/** Gives a pressed button the focus where the browser does not: a dialog that it opens gives the focus back there. */
export function usePressedFocus(): void {
  useEffect(() => {
    const focus = ({ target, detail }: MouseEvent) => {
      const isPressed = detail > 0 && document.activeElement === document.body
      if (isPressed && target instanceof Element) target.closest('button')?.focus({ preventScroll: true })
    }
    // Before the handler of the button, which opens the dialog.
    addEventListener('click', focus, true)
    return () => removeEventListener('click', focus, true)
  }, [])
}
