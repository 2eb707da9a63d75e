import { type AriaAttributes, type ReactNode, useId } from 'react'

/** The attributes by which a field tells screen readers of a fault. */
export type FieldState = Pick<AriaAttributes, 'aria-invalid' | 'aria-describedby' | 'aria-required'>

interface Fault {
  /** Ties the note to the fields that it is about. */
  readonly state: FieldState
  readonly note: ReactNode
}

/** Returns a note of what is wrong, which is read out when it appears and with its fields. */
export function useFault(text: string | undefined): Fault {
  const id = useId()
  if (text === undefined) return { state: { 'aria-invalid': false }, note: null }
  return {
    state: { 'aria-invalid': true, 'aria-describedby': id },
    note: (
      <p className="fault" role="alert" id={id}>
        {text}
      </p>
    ),
  }
}
