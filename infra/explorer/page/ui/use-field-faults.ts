import { useEffect } from 'react'
import type { Texts } from '../texts/english.ts'

/** Says in the language of the page why a field keeps its form from being sent: browsers say it in their own. */
export function useFieldFaults({ fillIn, wholeNumber }: Texts): void {
  useEffect(() => {
    const explain = ({ target: field }: Event) => {
      const isNumber = field instanceof HTMLInputElement && field.max !== ''
      put(field, isNumber ? wholeNumber(field.min, field.max) : fillIn)
    }
    const forget = ({ target: field }: Event) => put(field, '')
    addEventListener('invalid', explain, true)
    addEventListener('input', forget, true)
    return () => {
      removeEventListener('invalid', explain, true)
      removeEventListener('input', forget, true)
    }
  }, [fillIn, wholeNumber])
}

function put(field: EventTarget | null, fault: string): void {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.setCustomValidity(fault)
}
