import { fieldFault } from '../errors/field-fault.ts'
import { parseWith } from '../errors/parse-with.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { EditableColumn } from '../table/editable-columns.ts'

/** A value as the column's schema makes of it, or why the column does not take it. */
export type CheckedValue = { readonly input: unknown } | { readonly fault: Bilingual }

/** Returns whether a schema has made a `Date` of a text that is none. */
export const isInvalidDate = (input: unknown): boolean => input instanceof Date && Number.isNaN(input.getTime())

/** Checks a value that a client would write into a cell. */
export function checkCellValue(column: EditableColumn, value: unknown): CheckedValue {
  try {
    const input = parseWith(column.form, value, [])
    return isInvalidDate(input) ? { fault: fieldFault('not_a_date') } : { input }
  } catch (error) {
    if (!(error instanceof RequestError) || error.fields === undefined) throw error
    const [fault = error.text] = Object.values(error.fields).flat()
    return { fault }
  }
}
