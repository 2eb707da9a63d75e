import { type LoggedRequest, requestLog } from '../service/request-log.ts'
import { useStore } from '../state/store.ts'
import { numberLocale, useWords } from '../texts/language.tsx'
import { copyText } from '../ui/copy-text.ts'
import { Modal } from '../ui/modal.tsx'
import { asCurl, asTypeScript } from './copies.ts'
import { requestTexts } from './request-texts.ts'

interface RequestDialogProps {
  readonly open: boolean
  readonly close: () => void
}

/** Shows the requests that the page has sent, for developers of other clients. */
export const RequestDialog = ({ open, close }: RequestDialogProps) => {
  const { t, language } = useWords()
  const texts = requestTexts[language]
  const requests = useStore(requestLog)
  return (
    <Modal title={t.requests} help={texts.help} open={open} onClose={close} wide>
      {requests.length === 0 && <p className="help">{texts.none}</p>}
      <ol className="requests">
        {requests.map((request) => (
          <RequestEntry key={request.id} request={request} />
        ))}
      </ol>
    </Modal>
  )
}

const RequestEntry = ({ request }: { readonly request: LoggedRequest }) => {
  const { t, language } = useWords()
  const texts = requestTexts[language]
  const { method, path, body, at, ms, serverTiming, requestId } = request
  return (
    <li>
      <details className="request">
        <summary>
          <Status request={request} />
          <code className="method">{method}</code>
          <bdi className="path grow" dir="ltr">
            {path}
          </bdi>
          <bdi className="muted">{ms === undefined ? texts.pending : `${ms} ms`}</bdi>
        </summary>
        <div className="request-body" dir="ltr">
          {serverTiming && (
            <p>
              <span className="muted">{texts.timing}</span> <code>{serverTiming}</code>
            </p>
          )}
          <p className="muted">
            <time dateTime={at.toISOString()}>{at.toLocaleTimeString(numberLocale(language))}</time>
            {requestId && (
              <>
                {' · '}
                {t.support} <code>{requestId}</code>
              </>
            )}
          </p>
          {body !== undefined && <pre>{JSON.stringify(body, null, 2)}</pre>}
          <div className="buttons start">
            <button type="button" className="button" onClick={() => void copyText(asCurl(request), t)}>
              {texts.asCurl}
            </button>
            <button type="button" className="button" onClick={() => void copyText(asTypeScript(request), t)}>
              {texts.asTypeScript}
            </button>
          </div>
        </div>
      </details>
    </li>
  )
}

const Status = ({ request: { status } }: { readonly request: LoggedRequest }) => {
  const { language } = useWords()
  const texts = requestTexts[language]
  if (status === undefined) return <span className="badge">…</span>
  if (status <= 0) return <span className="badge warning">{status === 0 ? texts.noResponse : texts.aborted}</span>
  return <span className={`badge ${status < 400 ? 'success' : 'danger'}`}>{status}</span>
}
