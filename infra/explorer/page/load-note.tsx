import { useEffect, useState } from 'react'
import type { TableError } from '../../../lib/client/index.ts'
import { keepOut } from './state/messages.ts'
import { loadFailedParts } from './state/part.ts'
import type { Loaded } from './state/use-loaded.ts'
import { failureText } from './texts/failure-text.ts'
import { useWords } from './texts/language.tsx'

const slowAfterMs = 1_500

/**
 * Shows a slow request, which can be cancelled, or a failed one, which can be repeated. The failure stays until a
 * response is there.
 */
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
  const seconds = useSlowSeconds(isLoading)
  const isSlow = seconds !== undefined
  // A refused token has a dialog of its own.
  const reason = isCancelled ? t.cancelled : failure && failure.status !== 401 && <Why failure={failure} />
  const stop = () => {
    cancel()
    setIsCancelled(true)
  }
  return (
    <>
      <p className="unseen" role="status">
        {isSlow && t.stillLoading}
      </p>
      {(isSlow || reason) && (
        <div className={reason && failure && !isCancelled ? 'note danger' : 'note'}>
          {/* What changes each second is outside of the alert, which would be read again each time. */}
          <p className="grow">
            {reason && <span role="alert">{reason}</span>}{' '}
            <span className="muted">
              {isSlow ? t.slow(seconds) : retryIn !== undefined && !isCancelled && t.retrying(retryIn)}
            </span>
          </p>
          <button
            type="button"
            className="button"
            aria-disabled={isLoading && !isSlow}
            onClick={isSlow ? stop : isLoading ? undefined : reload}
          >
            {isSlow ? t.cancel : t.retry}
          </button>
        </div>
      )}
    </>
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

/** Counts the seconds of a request once it is slow. */
function useSlowSeconds(isLoading: boolean): number | undefined {
  const [seconds, setSeconds] = useState<number>()
  useEffect(() => {
    if (!isLoading) return
    const began = performance.now()
    const elapsedSeconds = () => Math.round((performance.now() - began) / 1_000)
    const first = setTimeout(() => setSeconds(elapsedSeconds()), slowAfterMs)
    const each = setInterval(() => performance.now() - began > slowAfterMs && setSeconds(elapsedSeconds()), 1_000)
    return () => {
      clearTimeout(first)
      clearInterval(each)
      setSeconds(undefined)
    }
  }, [isLoading])
  return seconds
}
