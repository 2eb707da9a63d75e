import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { type Label, type Language, translate } from '../i18n/language.ts'

/** A form and what its fields are called. */
export interface LabelledForm {
  readonly form?: $ZodType
  readonly formLabels?: Readonly<Record<string, Label | undefined>>
}

const known = new WeakMap<LabelledForm, Partial<Record<Language, object>>>()

/**
 * The JSON Schema (2020-12) of what a client fills in; what JSON Schema has no word for is left open. A field's label
 * is its `title`, in the language asked for.
 */
export function formSchema(definition: LabelledForm, language: Language): object {
  const schemas = known.get(definition) ?? {}
  known.set(definition, schemas)
  const schema = schemas[language] ?? addTitles(definition, language)
  schemas[language] = schema
  return schema
}

function addTitles({ form, formLabels = {} }: LabelledForm, language: Language): object {
  if (form === undefined) return {}
  const schema = toJSONSchema(form, { io: 'input', unrepresentable: 'any' })
  for (const [field, label] of Object.entries(formLabels)) {
    const property = schema.properties?.[field]
    if (typeof property === 'object' && label !== undefined) property.title = translate(label, language)
  }
  return schema
}
