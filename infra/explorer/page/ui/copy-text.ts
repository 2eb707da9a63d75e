import { say } from '../state/messages.ts'
import type { Texts } from '../texts/english.ts'

type CopyTexts = Pick<Texts, 'copied' | 'notCopied'>

/** Puts a text where the user can paste it from. */
export async function copyText(text: string, { copied, notCopied }: CopyTexts): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say('success', copied)
  } catch {
    say('danger', notCopied)
  }
}
