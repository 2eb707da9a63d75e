import type { Label } from '../../../lib/i18n/language.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { isArabicPlaceholder } from '../names.ts'
import { type Finding, findingOf } from './finding.ts'

/** Labels and messages that Arabic readers would not see in Arabic. */
export function lintLabels(table: CompiledTable): readonly Finding[] {
  const { label, columns, filters, advancedFilters, rowActions, bulkActions } = table.definition
  const parts = { columns, filters, advancedFilters, rowActions, bulkActions }
  const labels = [
    ...(label === undefined ? [] : [['label', label] as const]),
    ...Object.entries(parts).flatMap(([part, of]) => labelsIn(of ?? {}, part)),
  ]
  const missing = label === undefined ? [findingOf(table, 'arabic-label', 'label', withoutLabel)] : []
  return [...missing, ...labels.flatMap(([place, text]) => lintLabel(table, place, text))]
}

const withoutLabel = { text: 'the table has no label', cure: "give it one: label: { en: '…', ar: '…' }" }

/** Whatever is a text for people, with the way to it: labels in both languages, and texts where a label is expected. */
function labelsIn(value: object, path: string): readonly (readonly [string, Label])[] {
  return Object.entries(value).flatMap(([key, part]): readonly (readonly [string, Label])[] => {
    const here = `${path}.${key}`
    if (typeof part === 'string') return expectsLabel.test(key) ? [[here, part]] : []
    // A form is a schema and no text; `formLabels` are its texts.
    if (typeof part !== 'object' || part === null || key === 'form') return []
    return isBilingual(part) ? [[here, part]] : labelsIn(part, here)
  })
}

const expectsLabel = /^(label|linkText|confirm)$/

const isBilingual = (value: object): value is { en: string; ar: string } =>
  'en' in value && 'ar' in value && typeof value.en === 'string' && typeof value.ar === 'string'

function lintLabel(table: CompiledTable, place: string, label: Label): readonly Finding[] {
  const [english, arabic] = typeof label === 'string' ? [label, label] : [label.en, label.ar]
  const fault = faultOf(english, arabic)
  if (fault === undefined) return []
  return [findingOf(table, 'arabic-label', place, { text: `"${english}" ${fault}`, cure: `write its Arabic into ar` })]
}

function faultOf(english: string, arabic: string): string | undefined {
  // Digits and signs are the same in both languages.
  if (!/\p{L}/u.test(english)) return undefined
  if (arabic.trim() === '') return 'has no Arabic'
  if (isArabicPlaceholder(arabic)) return 'still has the placeholder that make:table wrote in place of its Arabic'
  return /\p{Script=Arabic}/u.test(arabic) ? undefined : `has "${arabic}" for its Arabic, which is none`
}
