import { useRef, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { runAction, toFailure } from '../service/client.ts'
import type { Outcome } from '../service/wire.ts'
import { say, sayLater } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { hasQuestions, type Plan } from './plan.ts'

export interface Actions {
  /** The open question. */
  readonly plan: Plan | undefined
  readonly failure: TableError | undefined
  readonly isRunning: boolean
  /** Runs an action, or asks first what there is to ask. */
  readonly begin: (plan: Plan) => void
  /** Runs what was asked, with what was filled in; `body` takes the place of the plan's. */
  readonly run: (filled: Readonly<Record<string, unknown>>, body?: Plan['body']) => void
  readonly clearFailure: () => void
  readonly close: () => void
}

const describeRun = ({ path, body }: Plan): string => JSON.stringify([path, body])

/**
 * Runs one action at a time. `follow` handles its outcome and may return the plan of a next step, whose question then
 * opens.
 */
export function useActions(follow: (outcome: Outcome, plan: Plan) => Plan | undefined): Actions {
  const { language, t } = useWords()
  const [plan, setPlan] = useState<Plan>()
  const [failure, setFailure] = useState<TableError>()
  const [isRunning, setIsRunning] = useState(false)
  const running = useRef<Plan>(undefined)
  const latest = useRef(plan)
  latest.current = plan
  const perform = async (asked: Plan, filled: Readonly<Record<string, unknown>>, question?: Plan) => {
    // A second click while the first is answered must not do it twice.
    if (running.current) {
      if (describeRun(running.current) !== describeRun(asked)) say('info', t.busy(running.current.title))
      return
    }
    const isSameUser = rememberUser()
    running.current = asked
    setIsRunning(true)
    setFailure(undefined)
    const endMessage = question ? undefined : sayLater('info', t.working(asked.title))
    try {
      const outcome = await runAction(language, asked.path, { ...asked.page, ...asked.body, ...filled })
      if (!isSameUser()) return
      const next = follow(outcome, asked)
      // The user may have closed the question, and opened another one.
      if (latest.current === question) setPlan(next)
    } catch (thrown) {
      if (!isSameUser()) return
      const error = toFailure(thrown)
      if (question && latest.current === question) setFailure(error)
      else say('danger', `${asked.title}: ${failureText(error, t)}`)
    } finally {
      endMessage?.()
      running.current = undefined
      setIsRunning(false)
    }
  }
  const begin = (next: Plan) => {
    setFailure(undefined)
    if (hasQuestions(next)) setPlan(next)
    else void perform(next, {})
  }
  const run: Actions['run'] = (filled, body) => {
    if (plan !== undefined) void perform({ ...plan, ...(body && { body, page: undefined }) }, filled, plan)
  }
  return {
    plan,
    failure,
    isRunning,
    begin,
    run,
    clearFailure: () => setFailure(undefined),
    close: () => setPlan(undefined),
  }
}
