import type { Statement } from '../db/statement.ts'
import { isFloat } from '../query/compare.ts'
import type { Source } from '../table/source.ts'

/**
 * Writes the value of a source as a text that does not depend on the session: of times, ISO 8601, of instants in UTC.
 */
export function exportedText(source: Source, statement: Statement): string {
  const text = source.expression(statement)
  const moment = `YYYY-MM-DD"T"HH24:MI:SS.US`
  switch (source.kind) {
    case 'date':
      return `to_char(${text}, 'YYYY-MM-DD')`
    case 'timestamp':
      return `to_char(${text}, '${moment}')`
    case 'instant':
      return `to_char(${text} at time zone 'UTC', '${moment}"Z"')`
    default:
      return `${text}::text`
  }
}

const fraction = /\.?0+(?=Z?$)/

/**
 * Returns an exported text as the JSON that a client writes into a cell: numbers, true and false, texts of decimals and
 * times.
 */
export function toWireValue(source: Source, text: string | null): unknown {
  if (text === null) return null
  switch (source.kind) {
    case 'boolean':
      return text === 'true'
    case 'integer':
      return Number.isSafeInteger(Number(text)) ? Number(text) : text
    case 'decimal':
      return isFloat(source) && Number.isFinite(Number(text)) ? Number(text) : text
    case 'timestamp':
    case 'instant':
      return text.includes('.') ? text.replace(fraction, '') : text
    default:
      return text
  }
}
