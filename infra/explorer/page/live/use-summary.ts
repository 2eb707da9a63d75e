import { useEffect, useRef, useState } from 'react'
import type { RowsChange } from '../../../../lib/client/live.ts'
import { useWords } from '../texts/language.tsx'
import { summarize } from './live-texts.ts'

const everyMs = 6_000
const none = { changed: 0, entered: 0, left: 0 }

/** Collects changes into one text for screen readers, which changes every few seconds at most. */
export function useSummary() {
  const { language } = useWords()
  const [text, setText] = useState('')
  const counts = useRef(none)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const say = () => {
    timer.current = undefined
    setText(summarize(language, counts.current))
    counts.current = none
  }
  const add = ({ changed, entered, left }: RowsChange) => {
    const now = counts.current
    counts.current = {
      changed: now.changed + changed.length,
      entered: now.entered + entered.length,
      left: now.left + left.length,
    }
    timer.current ??= setTimeout(say, everyMs)
  }
  return { text, add }
}
