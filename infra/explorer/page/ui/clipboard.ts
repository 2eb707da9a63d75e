import { say } from '../state/messages.ts'

/** Puts a text where the user can paste it from. `done` is what to say then. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say('success', done)
  } catch (error) {
    say('danger', String(error))
  }
}
