import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import * as Popover from '@/popover'
import { focusable } from './focusable.ts'
import { OverlayContext } from './overlay-context.tsx'

interface PopupFrameProps extends Omit<PopupContentProps, 'anchor'> {
  /** Content of the button. */
  readonly trigger: ReactNode
  /** Accessible name of a button without text. */
  readonly label?: string
  readonly hint: string | undefined
  readonly className: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** A button and its popup. Escape and a click elsewhere close it, and the button has the focus then. */
export const PopupFrame = ({ trigger, label, hint, className, open, onOpenChange, ...content }: PopupFrameProps) => (
  <OverlayContext>
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger className={className} aria-label={label} title={hint}>
        {trigger}
      </Popover.Trigger>
      <PopupContent {...content} />
    </Popover.Root>
  </OverlayContext>
)

interface OpenChange {
  readonly reason: string
  readonly event: Event
  readonly cancel: () => void
}

/**
 * Closes a popup without a trigger, but not by the press of its button: while the listeners of the popup before it
 * still stand, the press that opens it reaches it as one outside.
 */
export const closeUnlessPressed =
  (button: Element | undefined, close: () => void) =>
  (open: boolean, { reason, event, cancel }: OpenChange) => {
    if (reason === 'outside-press' && button?.contains(event.target as Node)) cancel()
    else if (!open) close()
  }

interface PopupContentProps {
  readonly title: string
  readonly align: 'start' | 'end'
  readonly anchor?: Element | null
  /** Whether a finger opened it before this code was there to see. */
  readonly isByTouch?: boolean
  readonly children: ReactNode
}

/** The popup, below its anchor or where the page has room for it. */
export const PopupContent = ({ title, align, anchor, isByTouch = false, children }: PopupContentProps) => {
  const popup = useRef<HTMLDivElement>(null)
  const findFocus = (how: string) => {
    // Opened by touch, a focused field would show the keyboard of the screen.
    if (how === 'touch' || (isByTouch && how === '')) return popup.current
    return popup.current?.querySelector<HTMLElement>(entry) ?? true
  }
  useEffect(() => {
    anchor?.setAttribute('aria-expanded', 'true')
    return () => anchor?.removeAttribute('aria-expanded')
  }, [anchor])
  // Without a trigger, the element after the popup is unknown: Tab stays in it.
  const turn = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Tab' || !anchor) return
    const controls = event.currentTarget.querySelectorAll<HTMLElement>(focusable)
    const [from, to] = event.shiftKey ? [0, controls.length - 1] : [controls.length - 1, 0]
    if (document.activeElement !== controls[from]) return
    event.preventDefault()
    controls[to]?.focus()
  }
  return (
    <Popover.Portal>
      <Popover.Positioner
        className="positioner"
        sideOffset={6}
        collisionPadding={8}
        align={align}
        {...(anchor !== undefined && { anchor })}
      >
        <Popover.Popup
          className="popup"
          ref={popup}
          initialFocus={findFocus}
          onKeyDown={turn}
          {...(anchor && { finalFocus: { current: anchor as HTMLElement } })}
        >
          <Popover.Title className="popup-title">{title}</Popover.Title>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  )
}

/** Finds the element to focus: the field to type in, before the choice of the operator. */
const entry = 'input.field'
