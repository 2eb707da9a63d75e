import type { TableError } from '../../../../lib/client/index.ts'
import type { Texts } from './english.ts'

/**
 * Returns a text for a failure. It is never empty and never a bare status. `fallback` is for one without a message of
 * the service.
 */
export function failureText({ code, status, message }: TableError, t: Texts, fallback = t.refused(status)): string {
  if (code === 'unreachable') return t.unreachable
  if (code === 'no_token') return t.expired
  if (code === 'unexpected') return t.unexpected
  // Something else responded, such as a proxy.
  return code === 'bad_response' || message === '' ? fallback : message
}
