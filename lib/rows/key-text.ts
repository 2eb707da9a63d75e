import { isReadableText } from '../errors/readable-text.ts'
import { uuid } from '../query/read-value.ts'
import type { Source } from '../table/source.ts'
import { integerRange } from '../table/value-kind.ts'

/** The text of a JSON id as Postgres compares it, or `undefined` for what cannot be the key of any row of this table. */
export function keyText(key: Source, id: unknown): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  const text = String(id)
  if (text.length > 1_000 || !isReadableText(text)) return undefined
  if (key.kind === 'integer') return integerText(key, text)
  if (key.kind === 'decimal') return /^-?\d{1,100}(\.\d{1,100})?$/.test(text) ? text : undefined
  if (key.kind === 'enum') return key.enumValues?.includes(text) ? text : undefined
  if (key.kind === 'uuid') return uuid.test(text) ? text.toLowerCase() : undefined
  return text
}

function integerText(key: Source, text: string): string | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const [min, max] = integerRange(key.sqlType)
  const value = BigInt(text)
  return value >= min && value <= max ? text : undefined
}
