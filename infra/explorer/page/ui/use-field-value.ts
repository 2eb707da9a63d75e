import { useEffect, useRef } from 'react'

/** Puts a value into a field whenever it changes elsewhere; between that, the field has what the user types. */
export function useFieldValue(value: string) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (field.current !== null) field.current.value = value
  }, [value])
  return field
}
