import { clientIn, toFailure } from '../service/client.ts'
import { urlPath } from '../service/deployment.ts'
import type { Notification } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { useStore } from '../state/store.ts'
import { failureText } from '../texts/failure-text.ts'
import { numberLocale, useWords } from '../texts/language.tsx'
import { tray } from './tray-state.ts'
import { trayTexts } from './tray-texts.ts'
import { refreshNotifications } from './use-live.ts'

/** The caller's notifications, the newest first. */
export const NotificationList = () => {
  const { t, language } = useWords()
  const texts = trayTexts[language]
  const { notifications, unread } = useStore(tray)
  const markRead = async () => {
    try {
      await clientIn(language).readNotifications()
      await refreshNotifications(language)
    } catch (thrown) {
      say('danger', failureText(toFailure(thrown), t))
    }
  }
  if (notifications.length === 0) return <p className="help">{texts.noNotifications}</p>
  return (
    <>
      {unread > 0 && (
        <p className="card-head">
          <span className="grow muted">{texts.unread(unread)}</span>
          <button type="button" className="button" onClick={() => void markRead()}>
            {texts.markRead}
          </button>
        </p>
      )}
      <ul className="cards">
        {notifications.map((notification) => (
          <NotificationCard key={notification.id} notification={notification} />
        ))}
      </ul>
    </>
  )
}

const NotificationCard = ({ notification }: { readonly notification: Notification }) => {
  const { t, language } = useWords()
  const texts = trayTexts[language]
  const { title, body, level, created_at: at, read_at: read, data } = notification
  const moment = new Intl.DateTimeFormat(numberLocale(language), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <li className={read === null ? 'card unread' : 'card'}>
      <p className="card-head">
        <span className={`dot ${level}`} />
        <span className="unseen">
          {[read === null && texts.isUnread, texts.levels[level]].filter(Boolean).join(t.comma)}
        </span>
        <strong className="grow">{title}</strong>
        <small className="muted">
          <time dateTime={at}>{moment.format(new Date(at))}</time>
        </small>
      </p>
      <p>{body}</p>
      {typeof data['url'] === 'string' && (
        <a className="link" href={urlPath(data['url'])}>
          {t.download} <bdi>{String(data['filename'] ?? '')}</bdi>
        </a>
      )}
    </li>
  )
}
