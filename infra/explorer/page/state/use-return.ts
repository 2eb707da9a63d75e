import { useEffect, useRef } from 'react'
import { deployment } from '../service/deployment.ts'
import type { Loaded } from './use-loaded.ts'

const everyMs = 3_000

/**
 * Loads again when the user returns to the page, for example from writing a table file. On the local stack it also
 * loads every few seconds, for a page beside the editor, but not after a failure. Nothing is loaded during another
 * request.
 */
export function useReturn({ reload, isLoading, failure }: Pick<Loaded<unknown>, 'reload' | 'isLoading' | 'failure'>) {
  const isResting = isLoading || failure !== undefined
  const answeredAt = useRef(0)
  useEffect(() => {
    if (!isLoading) answeredAt.current = performance.now()
  }, [isLoading])
  useEffect(() => {
    // A window that has the focus right after it was loaded has nothing new to ask.
    const comeBack = () => {
      if (!isLoading && performance.now() - answeredAt.current > everyMs) reload()
    }
    addEventListener('focus', comeBack)
    return () => removeEventListener('focus', comeBack)
  }, [reload, isLoading])
  useEffect(() => {
    if (isResting || deployment.demoUsersUrl === '') return
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs)
    return () => clearInterval(timer)
  }, [isResting, reload])
}
