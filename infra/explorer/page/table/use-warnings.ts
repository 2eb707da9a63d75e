import { useEffect } from 'react'
import type { Rows } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { useWords } from '../texts/language.tsx'

type Warning = NonNullable<Rows['warnings']>[number]

/** Says which filters and sorts of an address the service has left out. */
export function useWarnings(response: Rows | undefined): void {
  const { t } = useWords()
  const isShort = ({ code }: Warning) => code === 'short_word'
  const names = response?.warnings?.flatMap((one) => (isShort(one) ? [] : one.field)).join(t.comma) ?? ''
  const hasShortWord = response?.warnings?.some(isShort) === true
  useEffect(() => {
    if (names !== '') say('info', t.ignored(names))
  }, [names, t])
  useEffect(() => {
    if (hasShortWord) say('info', t.shortWord)
  }, [hasShortWord, t])
}
