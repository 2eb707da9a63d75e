import { useEffect, useRef, useState } from 'react'
import type { Change } from '../state/use-view.ts'
import { useWords } from '../texts/language.tsx'

interface SearchBoxProps {
  readonly search: string
  readonly change: Change
}

const pauseMs = 400

/** Finds rows by words in any searchable column: on Enter, and after a pause in typing. */
export const SearchBox = ({ search, change }: SearchBoxProps) => {
  const { t } = useWords()
  const [text, setText] = useState(search)
  const latest = useRef(search)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const apply = (next: string) => {
    clearTimeout(timer.current)
    if (next === latest.current) return
    // Only the first and the last change are steps of the browser's history.
    const how = latest.current === '' || next === '' ? undefined : 'replace'
    latest.current = next
    change({ search: next, page: 1 }, how)
  }
  useEffect(() => {
    if (search === latest.current) return
    // The text that was typed before must not replace the search of the view that is opened.
    clearTimeout(timer.current)
    latest.current = search
    setText(search)
  }, [search])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(next.trim()), pauseMs)
  }
  return (
    <search>
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault()
          apply(text.trim())
        }}
      >
        <input
          className="field wide"
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          maxLength={1_000}
          // An empty field would be left to right in either language, with its placeholder.
          dir={text === '' ? undefined : 'auto'}
          aria-label={t.search}
          placeholder={t.search}
          value={text}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </form>
    </search>
  )
}
