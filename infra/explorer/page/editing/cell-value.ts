import { fieldKind, readField, takesNull } from '../actions/form-values.ts'
import type { Column, Item, JsonSchema } from '../service/wire.ts'
import { plainNumber } from '../texts/plain-number.ts'

const localTime = /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/

/**
 * Returns the value with which the editor of a cell begins. A moment is in the local time of the cell if nothing is
 * lost by that.
 */
export function editedValue({ data_src: field, value_type: type }: Column, item: Item): unknown {
  const shown = item[field]
  return type === 'datetime' && typeof shown === 'string' && localTime.test(shown) ? shown : item._raw?.[field]
}

/**
 * Returns what a form says about a cell, as the service takes it. A cell that is emptied is missing where it may be.
 */
export function readCell({ value_type: type }: Column, schema: JsonSchema, name: string, form: FormData): unknown {
  const text = String(form.get(`field ${name}`) ?? '')
  if (text === '' && fieldKind(schema) !== 'boolean' && takesNull(schema)) return null
  const value = readField(name, schema, form)
  if (typeof value !== 'string') return value
  // Decimals are texts on the way, so that none of their digits is lost.
  if (type === 'number') return plainNumber(value)
  return type === 'datetime' && localTime.test(value) ? value.replace(' ', 'T') : value
}
