import { useCallback, useEffect, useState } from 'react'
import { chooseLanguage } from './chosen-language.ts'
import { keepChoices } from './kept-choices.ts'
import { isRemembered, rememberView } from './last-views.ts'
import { session } from './session.ts'
import { readView, type View, writeView } from './view.ts'

export type Change = (changed: Partial<View>, how?: 'replace') => void

/** A group consists of the rows that these select: it is closed when one of them changes. */
const selecting = ['filters', 'groups', 'search', 'params', 'groupBy']

/** The view in the address: a change is a step of the browser's history unless it only replaces. */
export function useView(): readonly [View, Change] {
  const [view, setView] = useState(() => readView(location.hash))
  useEffect(() => {
    const follow = () => setView(readView(location.hash))
    addEventListener('popstate', follow)
    // An address of nothing but the table begins with what its user has chosen.
    const unfollow = session.subscribe(follow)
    return () => {
      removeEventListener('popstate', follow)
      unfollow()
    }
  }, [])
  const change = useCallback<Change>((changed, how) => {
    if (changed.language !== undefined) chooseLanguage(changed.language)
    const now = readView(location.hash)
    rememberView(now)
    const closed = selecting.some((key) => key in changed) && { group: undefined }
    const next = { ...now, ...closed, ...changed }
    const { table, columns, saved } = next
    if (table !== undefined && (changed.columns || 'saved' in changed)) {
      // The view may be another one when it is opened again.
      keepChoices(table, { columns, saved: saved && { ...saved, revision: 0 } })
    }
    // An address of nothing but the table begins with what is kept, also when the user comes back to it.
    if (how !== 'replace' && !location.hash.includes('?')) history.replaceState(null, '', writeView(now, '?'))
    // A table whose view the user has left is not opened anew by a reload.
    const address = writeView(next, isRemembered(table) ? '?' : '')
    history[how === 'replace' ? 'replaceState' : 'pushState'](null, '', address)
    setView(next)
  }, [])
  return [view, change]
}
