import { useCallback, useEffect, useRef, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { isAborted, isPassing, toFailure } from '../service/client.ts'
import { session } from './session.ts'
import { useStore } from './store.ts'

export interface Loaded<Value> {
  /** The latest response, also while the next one is on its way. */
  readonly response: Value | undefined
  readonly failure: TableError | undefined
  readonly isLoading: boolean
  /** Seconds until it is tried again by itself. */
  readonly retryIn: number | undefined
  readonly reload: () => void
  readonly cancel: () => void
  /** Puts a changed response in place of the latest one. */
  readonly put: (change: (response: Value) => Value) => void
}

interface State<Value> {
  readonly key: string
  readonly response?: Value
  readonly failure?: TableError
  readonly isLoading: boolean
}

const pauses = [1, 2, 4, 8, 15]

/**
 * Loads what `key` stands for, and again when it changes or on request; a late response to an older question is
 * dropped. What passes by itself, such as a service that is starting, is tried again. `key` undefined: there is nothing
 * to load yet.
 */
export function useLoaded<Value>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ key: '', isLoading: true })
  const [round, setRound] = useState(0)
  const attempt = useRef(0)
  const running = useRef<AbortController>(null)
  const loading = useRef(load)
  loading.current = load
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round of the same key loads again
  useEffect(() => {
    if (key === undefined) return
    const controller = new AbortController()
    running.current = controller
    setState((now) => ({ ...now, isLoading: true }))
    loading.current(controller.signal).then(
      (response) => {
        if (controller.signal.aborted) return
        attempt.current = 0
        setState((now) => ({
          key,
          response: isSame(now.response, response) ? now.response : response,
          isLoading: false,
        }))
      },
      (thrown) => {
        if (isAborted(thrown) || controller.signal.aborted) return
        setState((now) => ({ ...now, key, failure: toFailure(thrown), isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((now) => now + 1), [])
  const { asked: mustSignIn } = useStore(session)
  // Another token is another key. The same one may be refused again, which must be seen.
  const isRefused = state.failure?.status === 401 && state.key === key
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refusal asks for a token before it loads again
  useEffect(() => {
    if (isRefused && !mustSignIn) reload()
  }, [mustSignIn])
  const retryIn = useRetry(key === undefined || state.isLoading ? undefined : state.failure, attempt, reload)
  const cancel = useCallback(() => {
    running.current?.abort()
    setState((now) => ({ ...now, isLoading: false }))
  }, [])
  const put = useCallback(
    (change: (response: Value) => Value) =>
      setState((now) => (now.response === undefined ? now : { ...now, response: change(now.response) })),
    [],
  )
  const isLoading = key !== undefined && state.isLoading
  return { response: state.response, failure: state.failure, isLoading, retryIn, reload, cancel, put }
}

/** Equal data keep their identity, so that nothing is drawn again. */
const isSame = <Value>(one: Value | undefined, other: Value): one is Value =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other)

function useRetry(
  failure: TableError | undefined,
  attempt: { current: number },
  reload: () => void,
): number | undefined {
  const [left, setLeft] = useState<number>()
  useEffect(() => {
    if (failure === undefined || !isPassing(failure)) return setLeft(undefined)
    let seconds = pauses[Math.min(attempt.current, pauses.length - 1)] ?? 15
    attempt.current += 1
    setLeft(seconds)
    const timer = setInterval(() => {
      seconds -= 1
      if (seconds > 0) setLeft(seconds)
      else reload()
    }, 1_000)
    return () => clearInterval(timer)
  }, [failure, attempt, reload])
  return left
}
