import type * as z from 'zod/v4/core'

type Schema = z.$ZodType

/** Returns the fields of a form, also of one that is a union, an intersection or a transformation of objects. */
export const formFields = ({ form }: { readonly form?: Schema | undefined }): readonly string[] =>
  form === undefined ? [] : [...collectFields(form, new Set())]

/** A schema may name itself. */
function collectFields(schema: Schema, seen: Set<unknown>): ReadonlySet<string> {
  if (seen.has(schema)) return new Set()
  seen.add(schema)
  const { shape, options, left, right, innerType, getter, in: input, out } = schema._zod.def as Partial<Parts>
  const parts = [...(options ?? []), left, right, innerType, input, out, getter?.()]
  const inner = parts.flatMap((part) => (part === undefined ? [] : [...collectFields(part, seen)]))
  return new Set([...Object.keys(shape ?? {}), ...inner])
}

/** The parts that some kinds of schemas have. */
interface Parts {
  readonly shape: object
  readonly options: readonly Schema[]
  readonly left: Schema
  readonly right: Schema
  readonly innerType: Schema
  readonly in: Schema
  readonly out: Schema
  readonly getter: () => Schema
}
