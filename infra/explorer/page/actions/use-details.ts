import { useCallback, useRef, useState } from 'react'
import { clientIn, toFailure } from '../service/client.ts'
import type { Item, Structure } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import type { Details } from './details-dialog.tsx'
import { allValues, rowName } from './row-name.ts'

/** The details in front of the page, and what shows those of a row: all of its values, also where the view has fewer columns. */
export function useDetails(structure: Structure, view: View) {
  const { t } = useWords()
  const [details, setDetails] = useState<Details>()
  const latest = useRef(view)
  latest.current = view
  const openRow = useCallback(
    (item: Item) => {
      const { table = '', language, columns, params } = latest.current
      const show = (whole: Item) => setDetails({ title: rowName(structure, whole), data: allValues(structure, whole) })
      if (columns.length === 0) return show(item)
      const asked = Object.keys(params).length > 0 ? { params } : {}
      clientIn(language)
        .refetchRow(table, item.id, asked)
        .then(show, (thrown) => say('danger', failureText(toFailure(thrown), t)))
    },
    [structure, t],
  )
  return { details, setDetails, openRow }
}
