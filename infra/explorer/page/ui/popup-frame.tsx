import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import * as Popover from '@/popover'
import { focusable } from './focusable.ts'
import { OverlayContext } from './overlay-context.tsx'
import { selectText } from './select-text.ts'

interface PopupFrameProps extends Omit<PopupContentProps, 'anchor' | 'finalFocus'> {
  /** Content of the button. */
  readonly trigger: ReactNode
  /** Accessible name of a button without text. */
  readonly label?: string
  readonly hint: string | undefined
  readonly className: string
  readonly takesFocus?: boolean
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/**
 * A button and its popup. Escape and a click elsewhere close it, and then what opened it has the focus: the button,
 * unless it was opened from elsewhere.
 */
export const PopupFrame = (props: PopupFrameProps) => {
  const { trigger, label, hint, className, takesFocus = false, open, onOpenChange, ...content } = props
  const button = useRef<HTMLButtonElement>(null)
  useOnlyPopup(open, () => onOpenChange(false))
  return (
    <OverlayContext>
      <Popover.Root open={open} onOpenChange={onOpenChange}>
        <Popover.Trigger className={className} aria-label={label} title={hint} ref={button}>
          {trigger}
        </Popover.Trigger>
        <PopupContent {...content} {...(takesFocus && { finalFocus: button })} />
      </Popover.Root>
    </OverlayContext>
  )
}

let closeLatest: (() => void) | undefined

/** Closes the popup before this one, which has not seen a press that came before it was drawn. */
export function useOnlyPopup(isOpen: boolean, close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useLayoutEffect(() => {
    if (!isOpen) return
    const closeOwn = () => latest.current()
    closeLatest?.()
    closeLatest = closeOwn
    return () => {
      if (closeLatest === closeOwn) closeLatest = undefined
    }
  }, [isOpen])
}

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
  readonly anchor?: HTMLElement
  /** Default: what had the focus before. */
  readonly finalFocus?: RefObject<HTMLElement | null>
  /** Whether a finger opened it before this code was there to see. */
  readonly isByTouch?: boolean
  readonly children: ReactNode
}

/** The popup, below its anchor or where the page has room for it. */
export const PopupContent = ({ title, align, anchor, finalFocus, isByTouch = false, children }: PopupContentProps) => {
  const popup = useRef<HTMLDivElement>(null)
  const place = useMemo(() => anchor && keepPlace(anchor), [anchor])
  const findFocus = (how: string) => {
    const own = popup.current
    // Opened by touch, a focused field would show the keyboard of the screen.
    if (how === 'touch' || (isByTouch && how === '')) return own
    if (own?.querySelector(focusable) === null) focusFirst(own)
    const field = own?.querySelector<HTMLElement>(entry)
    selectText(field)
    return field ?? true
  }
  // A popup that a press opens would close if the focus were taken back.
  const findFinalFocus = () => {
    const { activeElement } = document
    const isLeft = activeElement === document.body || popup.current?.contains(activeElement) === true
    return isLeft && (anchor ?? finalFocus?.current)
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
        {...(place && { anchor: place })}
      >
        <Popover.Popup
          className="popup"
          ref={popup}
          initialFocus={findFocus}
          onKeyDown={turn}
          {...((anchor ?? finalFocus) && { finalFocus: findFinalFocus })}
        >
          <Popover.Title className="popup-title">{title}</Popover.Title>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  )
}

/** A place beside an element, which stays where it was when the element is removed, as with the rows of another page. */
function keepPlace(contextElement: HTMLElement) {
  let latest = contextElement.getBoundingClientRect()
  const getBoundingClientRect = () => {
    if (contextElement.isConnected) latest = contextElement.getBoundingClientRect()
    return latest
  }
  return { contextElement, getBoundingClientRect }
}

/** Finds the element to focus: the field to type in, before the choice of the operator. */
const entry = 'input.field'

/** Moves the focus from a popup to its first control when that comes, unless the user has moved it by then. */
function focusFirst(popup: HTMLElement): void {
  const observer = new MutationObserver(() => {
    const first = popup.querySelector<HTMLElement>(focusable)
    if (first === null) return
    observer.disconnect()
    if (document.activeElement === popup) first.focus()
  })
  observer.observe(popup, { childList: true, subtree: true })
}
