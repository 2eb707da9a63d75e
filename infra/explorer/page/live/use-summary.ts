import { useEffect, useRef, useState } from 'react'
import type { RowsChange } from '../../../../lib/client/live.ts'
import type { Id } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { summarize } from './live-texts.ts'

const everyMs = 6_000

/** Rows by their ids: one that changes several times counts once. */
const noRows = () => ({ changed: new Set<Id>(), entered: new Set<Id>(), left: new Set<Id>() })

/** Collects changes into one text for screen readers, which changes every few seconds at most. */
export function useSummary() {
  const { language } = useWords()
  const [text, setText] = useState('')
  const rows = useRef(noRows())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const say = () => {
    timer.current = undefined
    const { changed, entered, left } = rows.current
    setText(summarize(language, { changed: changed.size, entered: entered.size, left: left.size }))
    rows.current = noRows()
  }
  const add = (change: RowsChange) => {
    for (const kind of ['changed', 'entered', 'left'] as const) {
      for (const id of change[kind]) rows.current[kind].add(id)
    }
    timer.current ??= setTimeout(say, everyMs)
  }
  return { text, add }
}
