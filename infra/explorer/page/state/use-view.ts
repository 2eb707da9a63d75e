import { useCallback, useEffect, useState } from 'react'
import { readView, type View, writeView } from './view.ts'

export type Change = (changed: Partial<View>, how?: 'replace') => void

/** The view in the address: a change is a step of the browser's history unless it only replaces. */
export function useView(): readonly [View, Change] {
  const [view, setView] = useState(() => readView(location.hash))
  useEffect(() => {
    const follow = () => setView(readView(location.hash))
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  const change = useCallback<Change>((changed, how) => {
    const next = { ...readView(location.hash), ...changed }
    history[how === 'replace' ? 'replaceState' : 'pushState'](null, '', writeView(next))
    setView(next)
  }, [])
  return [view, change]
}
