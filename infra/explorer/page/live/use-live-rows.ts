import { useEffect, useRef, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { createLiveClient, type WatchState } from '../../../../lib/client/live.ts'
import { clientOptions } from '../service/client.ts'
import type { Id, Item, Structure } from '../service/wire.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import type { useRows } from '../state/use-table.ts'
import { useWords } from '../texts/language.tsx'
import { liveChoice } from './live-choice.ts'

/** `stale`: the rows are asked for again. `ended`: they cannot be live. */
export type LiveSign = 'off' | 'waiting' | 'live' | 'stale' | 'lost' | 'ended'

interface WatchedRows {
  readonly table: string
  readonly structure: Structure
  readonly rows: ReturnType<typeof useRows>
  /** Another one asks for the rows again. */
  readonly since: number
  /** Is called with the page as it is now, and with the ids of what is new in it. */
  readonly onRows: (items: readonly Item[], fresh: ReadonlySet<Id>) => void
}

/** Users who page quickly watch only the page where they stay. */
const restMs = 400

/** Watches the rows on the screen while the page can be seen and live rows are on. */
export function useLiveRows({ table, structure, rows, since, onRows }: WatchedRows) {
  const { language } = useWords()
  const { token, asked: mustSignIn } = useStore(session)
  const isOn = useStore(liveChoice)
  const isVisible = useVisible()
  const [client, setClient] = useState<ReturnType<typeof createLiveClient>>()
  const [state, setState] = useState<{ readonly sign: LiveSign; readonly error?: TableError | undefined }>({
    sign: 'waiting',
  })
  const latest = useRef(onRows)
  latest.current = onRows
  const isWanted = isOn && isVisible && token !== undefined && !mustSignIn
  // biome-ignore lint/correctness/useExhaustiveDependencies: a socket belongs to the token that opened it
  useEffect(() => {
    if (!isWanted) return
    const own = createLiveClient(clientOptions(language))
    setClient(own)
    return () => {
      setClient(undefined)
      own.close()
    }
  }, [isWanted, language, token])
  const { query, page, isOfView, response } = rows
  const place = isOfView && response !== undefined ? response.place : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for before `since` may be older
  useEffect(() => {
    if (client === undefined || place === undefined) return
    const { count: _, row_actions: __, ...asked } = { ...JSON.parse(query), page }
    let stop = () => {}
    let hasRows = false
    const timer = setTimeout(() => {
      const watching = client.watch(table, asked, {
        structure,
        onRows: (items, { entered, changed }) => {
          hasRows = true
          latest.current(items as readonly Item[], new Set([...entered, ...changed]))
        },
        onState: (now, error) => setState({ sign: toSign(now, hasRows), error }),
      })
      stop = watching.stop
    }, restMs)
    return () => {
      clearTimeout(timer)
      stop()
      setState({ sign: 'waiting' })
    }
  }, [client, place, query, page, structure, table, since])
  return { isOn, ...state }
}

const toSign = (state: WatchState, hasRows: boolean): LiveSign =>
  state === 'asking' ? (hasRows ? 'stale' : 'waiting') : state

function useVisible(): boolean {
  const [isVisible, setIsVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const follow = () => setIsVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
  return isVisible
}
