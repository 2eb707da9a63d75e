import { useEffect, useRef } from 'react'
import { clientIn } from '../service/client.ts'
import type { Pagination } from '../service/wire.ts'
import { queryRows } from '../state/asked-rows.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'

const everyMs = 5_000
/** The maximum share of the time that is spent on counting: a slow count is repeated less often. */
const maxShare = 0.05

/**
 * Counts the rows again after rows have entered or left, seldom enough to cost the service little. Returns what asks
 * for it.
 */
export function useLiveTotal(view: View, put: (total: Pagination) => void): () => void {
  const { language } = useWords()
  const { table = '' } = view
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const wait = useRef(everyMs)
  const latest = useRef({ view, put })
  latest.current = { view, put }
  /** Whether rows have entered or left since the latest count began. */
  const isStale = useRef(false)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      isStale.current = false
    },
    [],
  )
  const count = async () => {
    isStale.current = false
    const query: object = queryRows(latest.current.view)
    const began = performance.now()
    const found = await clientIn(language)
      .countRows(table, query)
      .catch(() => undefined)
    wait.current = Math.max(everyMs, (performance.now() - began) / maxShare)
    timer.current = undefined
    if (found !== undefined && JSON.stringify(queryRows(latest.current.view)) === JSON.stringify(query))
      latest.current.put(found)
    if (isStale.current) countLater()
  }
  const countLater = () => {
    isStale.current = true
    timer.current ??= setTimeout(() => void count(), wait.current)
  }
  return countLater
}
