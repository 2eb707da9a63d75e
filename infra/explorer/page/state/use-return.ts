import { useEffect } from 'react'
import { deployment } from '../service/deployment.ts'
import type { Loaded } from './use-loaded.ts'

const everyMs = 1_500

/**
 * Asks again when somebody comes back from writing a table file. On the local stack it also asks all the time, for who has the page
 * beside the editor; not while an answer is on its way, and not while there is none to be had.
 */
export function useReturn({ reload, isLoading, failure }: Pick<Loaded<unknown>, 'reload' | 'isLoading' | 'failure'>) {
  const isResting = isLoading || failure !== undefined
  useEffect(() => {
    addEventListener('focus', reload)
    return () => removeEventListener('focus', reload)
  }, [reload])
  useEffect(() => {
    if (isResting || deployment.demoUsersUrl === '') return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs)
    return () => clearInterval(timer)
  }, [isResting, reload])
}
