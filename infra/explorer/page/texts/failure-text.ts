import type { Failure } from '../service/failure.ts'
import type { Texts } from './english.ts'

/** Returns a text for a failure. It is never empty and never a bare status. */
export function failureText({ status, message }: Failure, t: Texts): string {
  if (status === 0) return t.unreachable
  return message || t.refused(status)
}
