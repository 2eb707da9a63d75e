import { useEffect, useRef } from 'react'
import type { Plan } from '../actions/plan.ts'
import { runAction, toFailure } from '../service/client.ts'
import { urlPath } from '../service/deployment.ts'
import type { Outcome } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { failureText } from '../texts/failure-text.ts'
import type { Words } from '../texts/language.tsx'
import { editingTexts } from './editing-texts.ts'

type Follow = (outcome: Outcome, plan: Plan) => void

/** A change that can be taken back. */
interface Step {
  readonly url: string
  readonly plan: Plan
}

/** The changes of the open table, the latest last. */
const steps: Step[] = []
const maxSteps = 50

/** Says what was done, with a button that takes it back; so does Ctrl-Z. */
export function offerUndo({ undo }: Outcome, text: string, plan: Plan, words: Words, follow: Follow): void {
  if (undo === undefined) return
  const texts = editingTexts[words.language]
  const step = { url: undo.url, plan }
  // Ctrl-Z goes further back after an undo, not forth and back.
  if (plan.isUndo !== true) steps.push(step)
  steps.splice(0, steps.length - maxSteps)
  const close = say('success', text, {
    label: plan.isUndo === true ? texts.redo : texts.undo,
    run: () => {
      close()
      void takeBack(step, words, follow)
    },
  })
}

/** Takes a change back, or an undo. What has been changed again since stays, and the service says why. */
async function takeBack(step: Step, { language, t }: Words, follow: Follow): Promise<void> {
  const { plan, url } = step
  if (steps.includes(step)) steps.splice(steps.indexOf(step), 1)
  const { undo, redo } = editingTexts[language]
  const title = `${plan.isUndo === true ? redo : undo}: ${plan.of ?? plan.title}`
  try {
    follow(await runAction(language, urlPath(url), {}), {
      ...plan,
      title,
      of: plan.of ?? plan.title,
      isUndo: plan.isUndo !== true,
    })
  } catch (thrown) {
    say('danger', `${title}: ${failureText(toFailure(thrown), t)}`)
  }
}

/** Ctrl-Z, or Command-Z, takes back the latest change of this table, unless it is meant for a field that is typed in. */
export function useUndoKey(table: string, words: Words, follow: Follow): void {
  const latest = useRef({ words, follow })
  latest.current = { words, follow }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was done in one table is not taken back from another
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey
      const step = steps.at(-1)
      if (!isUndo || step === undefined || isTypedIn(event.target)) return
      event.preventDefault()
      void takeBack(step, latest.current.words, latest.current.follow)
    }
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      steps.length = 0
    }
  }, [table])
}

const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('textarea,select,input:not([type=checkbox])') !== null
