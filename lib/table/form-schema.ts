import { type $ZodType, toJSONSchema } from 'zod/v4/core'

const known = new WeakMap<$ZodType, object>()

/** The JSON Schema (2020-12) of what a client fills in; what JSON Schema has no word for is left open. */
export function formSchema(form: $ZodType): object {
  const schema = known.get(form) ?? toJSONSchema(form, { io: 'input', unrepresentable: 'any' })
  known.set(form, schema)
  return schema
}
