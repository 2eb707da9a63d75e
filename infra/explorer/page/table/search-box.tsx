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
  const apply = (next: string) => {
    if (next === latest.current) return
    // Only the first and the last change are steps of the browser's history.
    const how = latest.current === '' || next === '' ? undefined : 'replace'
    latest.current = next
    change({ search: next, page: 1 }, how)
  }
  const latestApply = useRef(apply)
  latestApply.current = apply
  useEffect(() => {
    if (search === latest.current) return
    latest.current = search
    setText(search)
  }, [search])
  useEffect(() => {
    const timer = setTimeout(() => latestApply.current(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
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
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  )
}
