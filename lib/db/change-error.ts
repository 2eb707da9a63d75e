import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { databaseError, isServerError, type ServerError } from './database-error.ts'

const text: Bilingual = {
  en: 'A rule of the database does not allow the change; use other values',
  ar: 'يخالف التغيير قيدًا في قاعدة البيانات؛ استخدم قيمًا أخرى',
}

/**
 * Whether code in the database refused a change: by an exception or assertion of PL/pgSQL, by the check option of a
 * view, or by a trigger that changed a row of the same statement.
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
