import { useWords } from './texts/language.tsx'
import { useLive } from './tray/use-live.ts'
import { useCopiedCells } from './ui/use-copied-cells.ts'
import { useMessageKey } from './ui/use-message-key.ts'
import { useNextFocus } from './ui/use-next-focus.ts'
import { usePressedFocus } from './ui/use-pressed-focus.ts'
import { useRowKeys } from './ui/use-row-keys.ts'
import { useUncoveredFocus } from './ui/use-uncovered-focus.ts'

/** Follows what happens beside the rows for as long as the page is open. */
export function PageWatch(): null {
  const { language } = useWords()
  useLive(language)
  useNextFocus()
  usePressedFocus()
  useRowKeys()
  useUncoveredFocus()
  useMessageKey()
  useCopiedCells()
  return null
}
