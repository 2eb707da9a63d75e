import { useEffect } from 'react'
import type { Rows } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { useWords } from '../texts/language.tsx'

/** Says which filters and sorts of an address the service has left out. */
export function useWarnings(answer: Rows | undefined): void {
  const { t } = useWords()
  const names = answer?.warnings?.map(({ field }) => field).join(', ') ?? ''
  useEffect(() => {
    if (names !== '') say('info', t.ignored(names))
  }, [names, t])
}
