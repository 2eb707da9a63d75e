import type { TableError } from '../../../../lib/client/index.ts'
import type { Texts } from './english.ts'

/** Returns a text for a failure. It is never empty and never a bare status. */
export function failureText(failure: TableError, t: Texts): string {
  if (failure.status === 0) return t.unreachable
  return serviceMessage(failure) ?? t.refused(failure.status)
}

/** Returns the service's own message about a failure; `undefined` if something else responded, such as a proxy. */
export const serviceMessage = ({ code, message }: TableError): string | undefined =>
  code === 'bad_response' || message === '' ? undefined : message
