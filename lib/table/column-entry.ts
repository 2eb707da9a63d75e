import { type Language, textOf } from '../i18n/language.ts'
import { datePatternOf } from './compile-columns.ts'
import type { CompiledColumn } from './compiled-table.ts'

/** The `data_src` of a column that only holds the row's actions; no item has a key of that name. */
const noSource = 'NA'

/** A column as the structure shows it (wire contract 3). */
export function columnEntry(column: CompiledColumn, sortable: boolean, language: Language) {
  const { key, type, definition } = column
  return {
    type,
    label: textOf(definition.label, language),
    name: definition.name === undefined ? key : definition.name,
    data_src: type === 'actions' ? noSource : key,
    sortable,
    showable: definition.showable ?? true,
    minWidth: definition.minWidth ?? '0px',
    showInMobileApp: definition.showInMobileApp ?? true,
    loadIf: true,
    ...typeKeys(column, language),
  }
}

function typeKeys({ definition, type, source }: CompiledColumn, language: Language): object {
  if (type === 'date') return { format: datePatternOf(definition, source) }
  if (definition.type === 'number') return { decimals: definition.decimals ?? null }
  if (type === 'number') return { decimals: null }
  if (type === 'datalist') {
    return { linkText: textOf((definition.type === 'datalist' && definition.linkText) || '', language) }
  }
  if (definition.type === 'link') {
    return {
      linkStyle: definition.linkStyle ?? 'text',
      linkText: textOf(definition.linkText ?? '', language),
      linkColor: definition.linkColor ?? null,
      showCopyBtn: definition.showCopyButton ?? false,
    }
  }
  if (type === 'boolean') return { values_formating: booleanValues(definition, language) }
  if (type === 'text') return { values_formating: textValues(definition, language) }
  return {}
}

const yes = { en: 'Yes', ar: 'نعم' }
const no = { en: 'No', ar: 'لا' }

function booleanValues(definition: CompiledColumn['definition'], language: Language) {
  const [trueLabel, falseLabel] = booleanLabels(definition, language)
  return { trueBool: true, falseBool: false, trueLabel, falseLabel }
}

/** What a boolean column shows for true and for false. */
export function booleanLabels(
  definition: CompiledColumn['definition'],
  language: Language,
): readonly [isTrue: string, isFalse: string] {
  const labels = definition.type === 'boolean' ? definition.values : undefined
  return [textOf(labels?.true ?? yes, language), textOf(labels?.false ?? no, language)]
}

function textValues(definition: CompiledColumn['definition'], language: Language): object {
  const values =
    (definition.type === 'text' || definition.type === undefined) && 'values' in definition
      ? definition.values
      : undefined
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([value, { label, style }]) => [
      value,
      { showValue: textOf(label, language), ...(style !== undefined && { style }) },
    ]),
  )
}
