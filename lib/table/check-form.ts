import type { $ZodType } from 'zod/v4/core'
import { formKeys } from './action-entry.ts'
import { bodyKeys } from './body-keys.ts'
import type { LabelledForm } from './form-schema.ts'

const reserved: ReadonlySet<string> = new Set(bodyKeys)

/** Reports fields that no client could fill in, those that a body has another meaning for, and labels of fields that are none. */
export function checkForm(key: string, definition: LabelledForm, report: (fault: string) => void): void {
  const { form, formLabels = {} } = definition
  const fields = formKeys(definition)
  for (const field of fields) {
    if (reserved.has(field)) report(`the form of "${key}" has a field "${field}", which means something else in a body`)
  }
  for (const field of Object.keys(formLabels)) {
    if (!fields.includes(field)) report(`the form of "${key}" has no field "${field}" for its label`)
  }
  for (const [path, type] of unsendable(form)) {
    const hint = type === 'date' ? '; use z.iso.date() or z.iso.datetime()' : ''
    report(`the field "${path}" of the form of "${key}" is a ${type}, which JSON does not have${hint}`)
  }
}

/** Types whose values no JSON has. */
const notJson = new Set(['date', 'bigint', 'symbol', 'map', 'set', 'function', 'promise', 'file', 'nan'])

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, $ZodType>>
  readonly [part: string]: unknown
}

/** The parts of a form that are of such a type, by their paths. What a schema makes of a value may be of any. */
function unsendable(
  schema: unknown,
  path: readonly string[] = [],
  met = new Set<unknown>(),
): readonly (readonly [path: string, type: string])[] {
  const definition = (schema as $ZodType | undefined)?._zod?.def as Definition | undefined
  // A form may hold itself.
  if (definition === undefined || met.has(schema)) return []
  met.add(schema)
  const { type, shape = {}, innerType, element, left, right, valueType, options = [], items = [] } = definition
  if (notJson.has(type)) return [[path.join('.'), type]]
  const inner = [innerType, element, left, right, valueType, definition['in'], options, items].flat()
  const fields = Object.entries(shape).flatMap(([name, field]) => unsendable(field, [...path, name], met))
  return [...fields, ...inner.flatMap((part) => unsendable(part, path, met))]
}
