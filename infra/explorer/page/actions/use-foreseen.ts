import { useEffect, useRef, useState } from 'react'
import { TableError } from '../../../../lib/client/index.ts'
import { clientIn, runAction, toFailure } from '../service/client.ts'
import type { ForeseenChange, JobRef } from '../service/wire.ts'
import { rememberUser } from '../state/session.ts'
import { useWords } from '../texts/language.tsx'
import { trackJob } from '../tray/known-jobs.ts'
import { askEffects } from './effects.ts'
import { foreseenTexts } from './foreseen-texts.ts'
import type { Plan } from './plan.ts'

/**
 * Asks the service what an action would do. Nothing is changed by that; the response is kept there until it is applied.
 */
export function useForeseen({ path, body, title, form }: Plan) {
  const { language } = useWords()
  const [change, setChange] = useState<ForeseenChange>()
  const [failure, setFailure] = useState<TableError>()
  const [isRunning, setIsRunning] = useState(false)
  const closing = useRef<AbortController>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    closing.current = controller
    return () => controller.abort()
  }, [])
  const ask = async (filled: Readonly<Record<string, unknown>>) => {
    if (isRunning) return
    const isSameUser = rememberUser()
    setIsRunning(true)
    setFailure(undefined)
    try {
      const shape = { row_actions: askEffects(form)?.['row_actions'] }
      const outcome = await runAction(language, path, { ...shape, ...body, ...filled, plan: true })
      if (!isSameUser()) return
      setChange(outcome.job === undefined ? outcome.plan : await waitForPlan(outcome.job))
    } catch (thrown) {
      const refusal = toFailure(thrown)
      // The structure does not say which actions have no plan, such as exports.
      const hasPlan = refusal.fields['plan'] === undefined
      setFailure(hasPlan ? refusal : new TableError(refusal.code, foreseenTexts[language].impossible, { status: 422 }))
    } finally {
      setIsRunning(false)
    }
  }
  /** Many rows are planned by a job, whose progress is among the other jobs. */
  const waitForPlan = async (job: JobRef): Promise<ForeseenChange | undefined> => {
    trackJob(job, title)
    const { status, code, errors, result } = await clientIn(language)
      .job(job.id)
      .done({ signal: closing.current?.signal })
    const text = errors?.[language === 'ar' ? 1 : 0]
    if (status !== 'succeeded') throw new TableError(code ?? status, text ?? '', { status: 422 })
    return result?.plan as ForeseenChange | undefined
  }
  return {
    change,
    failure,
    isRunning,
    ask,
    clearFailure: () => setFailure(undefined),
    forget: () => setChange(undefined),
  }
}
