import { parseWith } from '../errors/parse-with.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { EditableColumn } from '../table/editable-columns.ts'

/** A value as the column's schema makes of it, or why the column does not take it. */
export type CheckedValue = { readonly input: unknown } | { readonly fault: Bilingual }

/** Checks a value that a client would write into a cell. */
export function checkCellValue(column: EditableColumn, value: unknown): CheckedValue {
  try {
    return { input: parseWith(column.form, value, []) }
  } catch (error) {
    if (!(error instanceof RequestError) || error.fields === undefined) throw error
    const [fault = error.text] = Object.values(error.fields).flat()
    return { fault }
  }
}
