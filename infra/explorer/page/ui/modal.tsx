import { type ReactNode, useRef } from 'react'
import * as Dialog from '@/dialog'
import { useWords } from '../texts/language.tsx'
import { Icon } from './icon.tsx'
import { OverlayContext } from './overlay-context.tsx'
import { selectText } from './select-text.ts'

interface ModalProps {
  readonly title: string
  readonly help?: ReactNode
  /** Stands beside the title. */
  readonly tool?: ReactNode
  readonly wide?: boolean
  readonly open: boolean
  /** Without it the dialog cannot be put away. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

/** Finds the element to focus: a field, else a button. `safe` buttons go before those that cannot be undone. */
const first = '.field,[type=checkbox],.safe,.primary'

/** A message lies in front of dialogs: putting it away leaves them open. */
const isInMessages = ({ target }: Event): boolean => target instanceof Element && target.closest('.messages') !== null

/** A dialog in front of everything else. */
export const Modal = ({ title, help, tool, wide = false, open, onClose, children }: ModalProps) => {
  const { t } = useWords()
  const popup = useRef<HTMLDivElement>(null)
  const findFocus = () => {
    const control = popup.current?.querySelector<HTMLElement>(first) ?? null
    selectText(control)
    return control
  }
  return (
    <OverlayContext>
      <Dialog.Root open={open} onOpenChange={(next, { event }) => !next && !isInMessages(event) && onClose?.()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup className={wide ? 'modal wide' : 'modal'} ref={popup} initialFocus={findFocus}>
            <header className="modal-head">
              <Dialog.Title className="modal-title">{title}</Dialog.Title>
              {tool}
              {onClose && (
                <Dialog.Close className="button quiet square" aria-label={t.close} title={t.close}>
                  <Icon name="close" />
                </Dialog.Close>
              )}
            </header>
            {help !== undefined && <Dialog.Description className="help">{help}</Dialog.Description>}
            {children}
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </OverlayContext>
  )
}
