import { useEffect, useState } from 'react'
import type { TableError } from '../../../lib/client/index.ts'
import { keepOut } from './state/messages.ts'
import { loadFailedParts } from './state/part.ts'
import type { Loaded } from './state/use-loaded.ts'
import { failureText } from './texts/failure-text.ts'
import { useWords } from './texts/language.tsx'

const slowAfterMs = 1_500

/** Shows a slow request, which can be cancelled, or a failed one, which can be repeated. */
export const LoadNote = ({ loaded }: { readonly loaded: Omit<Loaded<unknown>, 'put'> }) => {
  const { t } = useWords()
  const { isLoading, failure, retryIn, reload, cancel } = loaded
  const [isCancelled, setIsCancelled] = useState(false)
  useEffect(() => {
    if (isLoading) setIsCancelled(false)
  }, [isLoading])
  const isUnreachable = failure?.code === 'unreachable'
  useEffect(() => {
    if (!isUnreachable) return
    keepOut(t.unreachable)
    return () => {
      keepOut()
      loadFailedParts()
    }
  }, [isUnreachable, t])
  if (isLoading) {
    return (
      <SlowNote
        cancel={() => {
          cancel()
          setIsCancelled(true)
        }}
      />
    )
  }
  if (failure === undefined && !isCancelled) return null
  // A refused token has a dialog of its own.
  if (failure?.status === 401) return null
  return (
    <div className={isCancelled ? 'note' : 'note danger'} role="alert">
      <p className="grow">
        {isCancelled || failure === undefined ? t.cancelled : <Why failure={failure} />}
        {retryIn !== undefined && !isCancelled && <span className="muted"> {t.retrying(retryIn)}</span>}
      </p>
      <button type="button" className="button" onClick={reload}>
        {t.retry}
      </button>
    </div>
  )
}

const Why = ({ failure }: { readonly failure: TableError }) => {
  const { t } = useWords()
  const { status, requestId } = failure
  return (
    <>
      {failureText(failure, t, t.failed)}
      {requestId !== undefined && status >= 500 && (
        <small className="muted">
          {' '}
          {t.support} <bdi>{requestId}</bdi>
        </small>
      )}
    </>
  )
}

const SlowNote = ({ cancel }: { readonly cancel: () => void }) => {
  const { t } = useWords()
  const [seconds, setSeconds] = useState<number>()
  useEffect(() => {
    const began = performance.now()
    const elapsedSeconds = () => Math.round((performance.now() - began) / 1_000)
    const first = setTimeout(() => setSeconds(elapsedSeconds()), slowAfterMs)
    const each = setInterval(() => performance.now() - began > slowAfterMs && setSeconds(elapsedSeconds()), 1_000)
    return () => {
      clearTimeout(first)
      clearInterval(each)
    }
  }, [])
  if (seconds === undefined) return null
  return (
    <div className="note">
      <p className="grow">{t.slow(seconds)}</p>
      <button type="button" className="button" onClick={cancel}>
        {t.cancel}
      </button>
    </div>
  )
}
