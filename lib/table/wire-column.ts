import type { ValueType, WireColumnType } from '../wire/vocabulary.ts'
import type { ColumnType } from './column-definition.ts'
import { datePatternOf } from './compile-columns.ts'
import type { CompiledColumn } from './compiled-table.ts'

const drawnAs: Readonly<Partial<Record<ColumnType, WireColumnType>>> = { number: 'text', date: 'text', image: 'link' }

/** Returns the type that the structure names for a column of the author's `type`. */
export const wireColumnType = (type: ColumnType): WireColumnType => drawnAs[type] ?? (type as WireColumnType)

const valueTypeByType: Readonly<Record<Exclude<ColumnType, 'date'>, ValueType>> = {
  text: 'text',
  text_truncate: 'text',
  number: 'number',
  link: 'url',
  image: 'image',
  boolean: 'boolean',
  html: 'text',
  datalist: 'list',
  barcode: 'text',
  actions: 'text',
}

/** Returns what a column's values are. A date whose pattern has a time of day is a `datetime`. */
export function columnValueType({ type, definition, source }: CompiledColumn): ValueType {
  if (type !== 'date') return valueTypeByType[type]
  return /[Hms]/.test(datePatternOf(definition, source)) ? 'datetime' : 'date'
}
