import type { Failure } from '../service/failure.ts'
import type { Texts } from './english.ts'

/** What to tell a user about a failure: never a bare number, never nothing. */
export function failureText({ status, message }: Failure, t: Texts): string {
  if (status === 0) return t.unreachable
  return message || t.refused(status)
}
