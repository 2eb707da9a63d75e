import { type Language, translate } from '../i18n/language.ts'
import type { ColumnType } from '../table/column-definition.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { JsonSchema } from './json-schema.ts'

const text: JsonSchema = { type: ['string', 'null'] }
const textLike: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }

const labelled: JsonSchema = {
  type: 'object',
  properties: { value: { type: 'string' }, label: { type: 'string' } },
  required: ['value', 'label'],
}

const list: JsonSchema = { type: 'array', items: { type: 'string' } }

const byType: Readonly<Record<ColumnType, JsonSchema>> = {
  text: textLike,
  text_truncate: textLike,
  number: { type: ['number', 'string', 'null'] },
  date: text,
  link: { anyOf: [text, labelled] },
  boolean: { type: ['boolean', 'null'] },
  html: text,
  datalist: { anyOf: [list, { type: 'null' }] },
  image: text,
  barcode: text,
  actions: {},
}

/** Cells that an author's own code makes. */
const authored: JsonSchema = { anyOf: [textLike, list, labelled] }

/** Describes the value of an item under the key of this column. */
export function cellSchema({ type, definition }: CompiledColumn, language: Language): JsonSchema {
  const isAuthored = 'value' in definition || 'load' in definition || ('format' in definition && definition.format)
  // Those are drawn or sanitised behind the author's code, and are text then.
  const isRendered = type === 'html' || type === 'barcode'
  return { title: translate(definition.label, language), ...(isAuthored && !isRendered ? authored : byType[type]) }
}
