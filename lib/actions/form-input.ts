import type * as z from 'zod/v4/core'
import { parseWith } from '../errors/parse-with.ts'
import { formKeys } from '../table/action-entry.ts'
import { allRowsKeys, bodyKeys, planKeys, selectionKeys, tokenKeys, versionKeys } from '../table/action-key.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'
import type { UnknownBody } from '../table/unknown-body.ts'

/** Keys of a body that are not the form's, unless it has a field of that name. */
const reserved: ReadonlySet<string> = new Set([
  ...bodyKeys,
  ...selectionKeys,
  ...versionKeys,
  ...allRowsKeys,
  ...tokenKeys,
  ...planKeys,
])

/** Returns the names of fields of a form that are also keys by which actions are planned. */
export function planFields(definition: Pick<AnyRowAction | AnyBulkAction, 'form'>): readonly string[] {
  const fields = formFields(definition)
  return planKeys.filter((key) => fields.includes(key))
}

/** Reads the fields of an action's form from a body. Throws `validation_failed` naming each field that does not fit. */
export function readInput(definition: Pick<AnyRowAction | AnyBulkAction, 'form'>, body: UnknownBody): unknown {
  if (definition.form === undefined) return undefined
  // Reserved keys are not passed to the form, so that a strict schema can refuse unknown keys.
  const own: readonly string[] = [...formKeys(definition), ...planFields(definition)]
  const fields = Object.entries(body).filter(([key]) => !reserved.has(key) || own.includes(key))
  // A field may be named like a member of every object, such as `constructor`.
  return parseWith(definition.form, Object.setPrototypeOf(Object.fromEntries(fields), null), [])
}

type Schema = z.$ZodType

/** Returns the fields of a form, also of one that is a union, an intersection or a transformation of objects. */
const formFields = ({ form }: { readonly form?: Schema | undefined }): readonly string[] =>
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
