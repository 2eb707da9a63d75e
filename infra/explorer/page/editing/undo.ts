import { useEffect, useRef } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { askEffects } from '../actions/effects.ts'
import type { Plan } from '../actions/plan.ts'
import { nameChange } from '../actions/row-name.ts'
import { runAction, toFailure } from '../service/client.ts'
import { urlPath } from '../service/deployment.ts'
import type { Outcome } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import { failureText } from '../texts/failure-text.ts'
import type { Words } from '../texts/language.tsx'
import { editingTexts } from './editing-texts.ts'
import { awaitWrites, hasWrites } from './writes-under-way.ts'

type Follow = (outcome: Outcome, plan: Plan) => void

/** A change that can be taken back. */
interface Step {
  readonly url: string
  readonly plan: Plan
  /** Removes the message that offers it. */
  close?: () => void
}

/** The changes of the open table, the latest last. */
const steps: Step[] = []
/** Those of them that have been taken back since the latest change, the latest last. */
const undos: Step[] = []
const maxSteps = 50

const stepsBeside = ({ isUndo }: Plan): Step[] => (isUndo === true ? undos : steps)

let latestOffer: (() => void) | undefined

/**
 * Says what was done if it can be taken back, with a button for that, in place of the last such message. Ctrl-Z and
 * Ctrl-Shift-Z do the same.
 */
export function offerUndo({ undo }: Outcome, text: string, plan: Plan, words: Words, follow: Follow): void {
  // A new change ends what can be done again.
  if (plan.of === undefined) undos.length = 0
  if (undo === undefined) return
  const texts = editingTexts[words.language]
  const step: Step = { url: undo.url, plan }
  const isUndo = plan.isUndo === true
  // Ctrl-Z goes further back after an undo, not forth and back.
  stepsBeside(plan).push(step)
  steps.splice(0, steps.length - maxSteps)
  latestOffer?.()
  step.close = say('success', text, {
    label: isUndo ? texts.redo : texts.undo,
    keys: isUndo ? 'Control+Shift+Z' : 'Control+Z',
    run: () => {
      step.close?.()
      takeBackNext(() => step, words, follow)
    },
  })
  latestOffer = step.close
}

let latestUndo: Promise<void> = Promise.resolve()

/** Takes changes back one after the other: an earlier one cannot be taken back before a later one of the same cell. */
function takeBackNext(find: () => Step | undefined | Promise<Step | undefined>, words: Words, follow: Follow): void {
  latestUndo = latestUndo.then(async () => {
    const step = await find()
    if (step !== undefined) await takeBack(step, words, follow)
  })
}

/** Takes a change back, or an undo. What has been changed again since stays, and the service says why. */
async function takeBack(step: Step, words: Words, follow: Follow): Promise<void> {
  const { plan, url } = step
  const { language, t } = words
  step.close?.()
  const kept = stepsBeside(plan)
  const at = kept.indexOf(step)
  if (at >= 0) kept.splice(at, 1)
  const { undo, redo } = editingTexts[language]
  const label = plan.isUndo === true ? redo : undo
  const title = `${label}: ${plan.of ?? plan.title}`
  const isSameUser = rememberUser()
  try {
    const page = plan.page && askEffects()
    follow(await runAction(language, urlPath(url), { ...page }), {
      ...plan,
      page,
      canAddRows: true,
      title,
      of: plan.of ?? plan.title,
      isUndo: plan.isUndo !== true,
    })
  } catch (thrown) {
    if (!isSameUser()) return
    const failure = toFailure(thrown)
    const text = `${nameChange({ ...plan, title })}: ${failureText(failure, t)}`
    if (!canSucceedLater(failure)) {
      say('danger', text)
      return
    }
    // Without it, the next Ctrl-Z would take back the change before.
    if (at >= 0) kept.splice(at, 0, step)
    step.close = say('danger', text, {
      label,
      run: () => {
        step.close?.()
        takeBackNext(() => step, words, follow)
      },
    })
  }
}

/** Whether the service has decided nothing about the change. */
const canSucceedLater = ({ status }: TableError): boolean =>
  status === 0 || status === 401 || status === 429 || status >= 500

/**
 * Ctrl-Z, or Command-Z, takes back the latest change of this table, and with Shift does it again, unless a field is
 * typed in.
 */
export function useUndoKey(table: string, words: Words, follow: Follow): void {
  const latest = useRef({ words, follow })
  latest.current = { words, follow }
  useEffect(() => {
    // A change that was slow may be answered when its table is no longer open.
    const press = (event: KeyboardEvent) => {
      const kept = event.shiftKey ? undos : steps
      const findLatest = () => kept.findLast(({ url }) => url.includes(`/undo/${encodeURIComponent(table)}/`))
      // The latest change may be under way. Where it fails, the one before it is not meant.
      const awaitLatest = async () => ((await awaitWrites()) ? findLatest() : undefined)
      const isMeant = isZ(event) && (event.ctrlKey || event.metaKey) && !isTypedIn(event.target)
      if (!isMeant || (findLatest() === undefined && !hasWrites())) return
      event.preventDefault()
      takeBackNext(awaitLatest, latest.current.words, latest.current.follow)
    }
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      latestOffer?.()
      steps.length = 0
      undos.length = 0
    }
  }, [table])
}

/** The key stands where Z does if its own letter is not Latin, as on an Arabic keyboard. */
const isZ = ({ key, code }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'z' || (code === 'KeyZ' && !/^[a-z]$/i.test(key))

const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('textarea,select,input:not([type=checkbox])') !== null
