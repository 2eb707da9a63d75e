import { createPortal } from 'react-dom'
import { dismiss, messages } from '../state/messages.ts'
import { useStore } from '../state/store.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from './icon.tsx'

/** Shows messages in a corner and announces them to screen readers. */
export const Messages = () => {
  const { t } = useWords()
  // No status: that would be read as a whole, with the messages that have been read before.
  return createPortal(
    <section className="messages" aria-live="polite" aria-label={t.messages}>
      {useStore(messages).map(({ id, tone, text, href, action }) => (
        <div key={id} id={`message-${id}`} className={`message ${tone}`}>
          <span className="grow">{text}</span>
          {href !== undefined && (
            <a className="link" href={href}>
              {t.download}
            </a>
          )}
          {action !== undefined && (
            <button
              type="button"
              className="button"
              aria-keyshortcuts={action.keys}
              title={action.keys}
              onClick={action.run}
            >
              {action.label}
            </button>
          )}
          <button type="button" className="button quiet square" aria-label={t.close} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>,
    document.body,
  )
}
