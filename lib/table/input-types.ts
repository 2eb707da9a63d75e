import type { $ZodType } from 'zod/v4/core'

interface SchemaDefinition {
  readonly type: string
  readonly coerce?: boolean
  readonly innerType?: $ZodType
  readonly in?: $ZodType
  readonly options?: readonly $ZodType[]
}

/** Lists the types of the values that a schema takes, by zod's names. `any`: it does something with each value. */
export function inputTypes({ _zod }: $ZodType): readonly string[] {
  const { type, coerce, innerType, in: input, options } = _zod.def as SchemaDefinition
  if (coerce === true || type === 'catch') return ['any']
  const inner = type === 'promise' ? undefined : (innerType ?? input)
  if (inner !== undefined) return inputTypes(inner)
  return type === 'union' && options !== undefined ? options.flatMap(inputTypes) : [type]
}

/** The types of zod whose values no JSON has. */
export const notJson: ReadonlySet<string> = new Set([
  'date',
  'bigint',
  'symbol',
  'map',
  'set',
  'function',
  'promise',
  'file',
  'nan',
])
