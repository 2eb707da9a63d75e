import { useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { runAction, toFailure } from '../service/client.ts'
import type { ForeseenChange } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import type { Plan } from './plan.ts'

/** Asks the service what an action would do. Nothing is changed by that; the answer is kept there until it is applied. */
export function useForeseen({ path, body }: Plan) {
  const { language } = useWords()
  const [change, setChange] = useState<ForeseenChange>()
  const [failure, setFailure] = useState<TableError>()
  const [isRunning, setIsRunning] = useState(false)
  const ask = async (filled: Readonly<Record<string, unknown>>) => {
    if (isRunning) return
    setIsRunning(true)
    setFailure(undefined)
    try {
      const outcome = await runAction(language, path, { ...body, ...filled, plan: true })
      setChange(outcome.plan)
    } catch (thrown) {
      setFailure(toFailure(thrown))
    } finally {
      setIsRunning(false)
    }
  }
  return { change, failure, isRunning, ask, forget: () => setChange(undefined) }
}
