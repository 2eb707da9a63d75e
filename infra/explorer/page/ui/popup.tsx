import { type ReactNode, useRef, useState } from 'react'
import { type Menus, parts } from '../parts.ts'
import { usePart } from '../state/part.ts'

interface PopupProps {
  /** Content of the button. */
  readonly trigger: ReactNode
  /** Accessible name of a button without text. */
  readonly label?: string
  /** Says what a button is whose text has no room. */
  readonly hint?: string
  readonly title: string
  readonly className?: string
  readonly align?: 'start' | 'end'
  /** Whether the focus goes to the button when the popup closes that was opened from elsewhere. */
  readonly takesFocus?: boolean
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** Draws the content of the popup from the loaded menus. */
  readonly children: (menus: Menus) => ReactNode
}

/**
 * A button and what unfolds beside it. It is an ordinary button until it is used, which makes a toolbar of them quick
 * to draw.
 */
export const Popup = ({ className = 'button', align = 'start', open, onOpenChange, ...props }: PopupProps) => {
  const { trigger, label, hint = label, children } = props
  const [isOwnOpen, setIsOwnOpen] = useState(false)
  const isOpen = open ?? isOwnOpen
  const setIsOpen = onOpenChange ?? setIsOwnOpen
  const menus = usePart(parts.menus, isOpen)
  const isByTouch = useRef(false)
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (menus !== undefined) {
    return (
      <menus.PopupFrame
        {...props}
        hint={hint}
        className={className}
        align={align}
        open={isOpen}
        onOpenChange={setIsOpen}
        isByTouch={isByTouch.current}
      >
        {children(menus)}
      </menus.PopupFrame>
    )
  }
  return (
    <button
      type="button"
      className={className}
      aria-haspopup="dialog"
      aria-expanded={false}
      aria-label={label}
      title={hint}
      onPointerEnter={parts.menus.load}
      onFocus={parts.menus.load}
      onPointerDown={({ pointerType }) => {
        isByTouch.current = pointerType === 'touch'
      }}
      onKeyDown={() => {
        isByTouch.current = false
      }}
      // A popup that comes late must not take the focus from where the user has gone on.
      onBlur={({ relatedTarget }) => {
        const isElsewhere = relatedTarget?.matches('input, textarea, [aria-haspopup]')
        if (!isElsewhere || parts.menus.state.get().module) return
        clearTimeout(opening.current)
        setIsOpen(false)
      }}
      // This button is replaced: a popup that is open closes by a press on a button that is still there.
      onClick={() => {
        if (isOpen) parts.menus.load()
        else opening.current = setTimeout(() => setIsOpen(true))
      }}
    >
      {trigger}
    </button>
  )
}
