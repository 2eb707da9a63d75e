import { useEffect, useState } from 'react'
import type { Structure } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { openView } from './open-view.ts'
import { useSavedViews } from './use-saved-views.ts'
import { viewTexts } from './view-texts.ts'

export interface FirstViewProps {
  readonly view: View
  readonly structure: Structure
  readonly change: Change
}

/**
 * Opens the view that an address names by its id alone, or the user's default where an address has nothing but a table.
 */
export const FirstView = ({ view, structure, change }: FirstViewProps) => {
  const { t, language } = useWords()
  const { saved } = view
  const [isPlain, setIsPlain] = useState(() => !location.hash.includes('?'))
  const isNamed = saved?.revision === 0
  const { list, failure, reload } = useSavedViews(view, isNamed || isPlain)
  useEffect(() => {
    if (list === undefined) return
    const found = list.items.find(({ id, is_default: isDefault }) => (isNamed ? id === saved?.id : isDefault))
    const isUsed = isNamed || (isPlain && !location.hash.includes('?'))
    setIsPlain(false)
    if (!isUsed) return
    if (found?.query !== undefined) change(openView(found, structure, view), 'replace')
    else if (isNamed) {
      say('danger', viewTexts[language].gone)
      change({ saved: undefined }, 'replace')
    }
  }, [list, isNamed, isPlain, saved, structure, view, change, language])
  useEffect(() => {
    if (failure === undefined) return undefined
    setIsPlain(false)
    return isNamed ? say('danger', failureText(failure, t), { label: t.retry, run: reload }) : undefined
  }, [failure, isNamed, reload, t])
  return null
}
