import { type ReactNode, useRef } from 'react'
import * as Popover from '@/popover'

interface PopupProps {
  /** Content of the button. */
  readonly trigger: ReactNode
  /** Accessible name of a button without text. */
  readonly label?: string
  readonly title: string
  readonly className?: string
  readonly align?: 'start' | 'end'
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly children: ReactNode
}

/** A button and what unfolds beside it. Escape and a click elsewhere fold it again, and the button has the focus then. */
export const Popup = (props: PopupProps) => {
  const { trigger, label, title, className = 'button', align = 'start', open, onOpenChange, children } = props
  return (
    <Popover.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Popover.Trigger className={className} {...(label !== undefined && { 'aria-label': label, title: label })}>
        {trigger}
      </Popover.Trigger>
      <PopupContent title={title} align={align}>
        {children}
      </PopupContent>
    </Popover.Root>
  )
}

interface PopupContentProps {
  readonly title: string
  readonly align: 'start' | 'end'
  readonly anchor?: Element | null
  readonly children: ReactNode
}

/** The popup, below its anchor or wherever there is room. */
export const PopupContent = ({ title, align, anchor, children }: PopupContentProps) => {
  const popup = useRef<HTMLDivElement>(null)
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
          // Opened by touch, a focused field would show the keyboard of the screen.
          initialFocus={(how) => (how === 'touch' ? true : (popup.current?.querySelector<HTMLElement>(entry) ?? true))}
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
