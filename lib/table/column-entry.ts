import { type Language, translate } from '../i18n/language.ts'
import type { ValueType, WireColumnType } from '../wire/vocabulary.ts'
import { type ColumnType, type LinkOptions, valueLabel, valueStyle } from './column-definition.ts'
import { findDatePattern, textColumnValues } from './compile-columns.ts'
import type { CompiledColumn } from './compiled-table.ts'

/** The `data_src` of a column that only holds the row's actions; no item has a key of that name. */
const noSource = 'NA'

/** Returns a column's entry in the structure. */
export function columnEntry(column: CompiledColumn, sortable: boolean, language: Language) {
  const { key, type, definition } = column
  return {
    type: wireTypeByType[type],
    value_type: columnValueType(column),
    label: translate(definition.label, language),
    name: definition.name === undefined ? key : definition.name,
    data_src: type === 'actions' ? noSource : key,
    sortable,
    ...(definition.search === true && { searchable: true as const }),
    showable: definition.showable ?? true,
    minWidth: definition.minWidth ?? '0px',
    showInMobileApp: definition.showInMobileApp ?? true,
    loadIf: true,
    ...(definition.collation !== undefined && { collation: definition.collation }),
    ...typeKeys(column, language),
  }
}

function typeKeys({ definition, type, source }: CompiledColumn, language: Language): object {
  switch (type) {
    case 'date':
      return { values_formating: {}, format: findDatePattern(definition, source) }
    case 'number':
      return { values_formating: {}, decimals: definition.type === 'number' ? (definition.decimals ?? null) : null }
    case 'text':
      return { values_formating: textValues(definition, language) }
    case 'datalist':
      return { linkText: translate((definition.type === 'datalist' && definition.linkText) || '', language) }
    case 'link':
    case 'image':
      return linkKeys(definition, language)
    case 'boolean':
      return { values_formating: booleanValues(definition, language) }
    default:
      return {}
  }
}

function linkKeys(definition: CompiledColumn['definition'], language: Language): object {
  const link: LinkOptions = definition.type === 'link' || definition.type === 'image' ? definition : {}
  return {
    linkStyle: link.linkStyle ?? 'text',
    linkText: translate(link.linkText ?? '', language),
    linkColor: link.linkColor ?? null,
    showCopyBtn: link.showCopyButton ?? false,
  }
}

const yes = { en: 'Yes', ar: 'نعم' }
const no = { en: 'No', ar: 'لا' }

function booleanValues(definition: CompiledColumn['definition'], language: Language) {
  const [trueLabel, falseLabel] = booleanLabels(definition, language)
  const values = definition.type === 'boolean' ? definition.values : undefined
  return {
    trueBool: valueStyle(values?.true) ?? 'success',
    falseBool: valueStyle(values?.false) ?? 'danger',
    trueLabel,
    falseLabel,
  }
}

/** Returns the texts that a boolean column shows for true and for false. */
export function booleanLabels(
  definition: CompiledColumn['definition'],
  language: Language,
): readonly [isTrue: string, isFalse: string] {
  const values = definition.type === 'boolean' ? definition.values : undefined
  return [translate(valueLabel(values?.true ?? yes), language), translate(valueLabel(values?.false ?? no), language)]
}

function textValues(definition: CompiledColumn['definition'], language: Language): object {
  return Object.fromEntries(
    Object.entries(textColumnValues(definition)).map(([value, shown]) => {
      const style = valueStyle(shown)
      return [value, { showValue: translate(valueLabel(shown), language), ...(style !== undefined && { style }) }]
    }),
  )
}

/** Returns what a text column shows for single values, in the author's order. */
export const textLabels = (definition: CompiledColumn['definition'], language: Language): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(textColumnValues(definition)).map(([value, shown]) => [
      value,
      translate(valueLabel(shown), language),
    ]),
  )

const wireTypeByType: Readonly<Record<ColumnType, WireColumnType>> = {
  text: 'text',
  text_truncate: 'text_truncate',
  number: 'text',
  date: 'text',
  link: 'link',
  image: 'link',
  boolean: 'boolean',
  html: 'html',
  datalist: 'datalist',
  barcode: 'barcode',
  actions: 'actions',
}

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
  return /[Hms]/.test(findDatePattern(definition, source)) ? 'datetime' : 'date'
}
