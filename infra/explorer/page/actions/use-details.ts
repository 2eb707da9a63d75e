import { useCallback, useRef, useState } from 'react'
import { clientIn, isAborted, toFailure } from '../service/client.ts'
import type { Item, Structure } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say, sayLater } from '../state/messages.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import type { Details } from './details-dialog.tsx'
import { allValues, rowName } from './row-name.ts'

/**
 * The details in front of the page, and what shows those of a row: all of its values, also where the view has fewer
 * columns.
 */
export function useDetails(structure: Structure, view: View) {
  const { t } = useWords()
  const [details, setDetails] = useState<Details>()
  const latest = useRef(view)
  latest.current = view
  const running = useRef<AbortController>(null)
  /** Shows these details, or none, in place of those that are on their way. */
  const show = useCallback((next: Details | undefined) => {
    running.current?.abort()
    setDetails(next)
  }, [])
  const openRow = useCallback(
    (item: Item) => {
      const { table = '', language, columns } = latest.current
      const showRow = (whole: Item) => show({ title: rowName(structure, whole), data: allValues(structure, whole) })
      if (columns.length === 0) return showRow(item)
      running.current?.abort()
      running.current = new AbortController()
      const { signal } = running.current
      const endMessage = sayLater('info', t.loading)
      clientIn(language)
        .refetchRow(table, item.id, { ...takeParams(latest.current), signal })
        .then(showRow, (thrown) => isAborted(thrown) || say('danger', failureText(toFailure(thrown), t)))
        .finally(endMessage)
    },
    [structure, t, show],
  )
  return { details, setDetails: show, openRow }
}
