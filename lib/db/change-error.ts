import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { databaseError, isServerError, type ServerError } from './database-error.ts'

const text: Bilingual = {
  en: 'A rule of the database does not allow the change; use other values',
  ar: 'يخالف التغيير قيدًا في قاعدة البيانات؛ استخدم قيمًا أخرى',
}

/**
 * Whether PL/pgSQL raised an exception, of whatever code, or an assertion failed; or a view with a check option would
 * lose the row; or a trigger changed a row which the same statement changes.
 */
const isRaised = ({ code, routine }: ServerError): boolean =>
  /^(P000[14]|44000|27000)$/.test(code) || routine === 'exec_stmt_raise'

/** Whether a constraint, a trigger or a policy forbids what a statement writes. */
export const isRefusal = (error: ServerError): boolean =>
  error.code.startsWith('23') || isRaised(error) || (error.code === '42501' && error.routine === 'ExecWithCheckOptions')

/**
 * Returns the error of a statement of a change, as `databaseError` does. The exception of a trigger is a refusal; its
 * text may hold values and is not sent.
 */
export function changeError(thrown: unknown): unknown {
  const error = databaseError(thrown)
  return isServerError(error) && isRaised(error)
    ? new RequestError('conflicting_data', {}, { text, cause: error })
    : error
}
