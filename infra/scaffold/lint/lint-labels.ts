import type { Label } from '../../../lib/i18n/language.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { isArabicPlaceholder } from '../names.ts'
import { createFinding, type Finding } from './finding.ts'

/** Finds the labels and messages that Arabic readers would not see in Arabic, one finding for each. */
export function lintLabels(table: CompiledTable): readonly Finding[] {
  const { label, columns, filters, advancedFilters, rowActions, bulkActions } = table.definition
  const parts = { columns, filters, advancedFilters, rowActions, bulkActions }
  const labels = [
    ...(label === undefined ? [] : [['label', label] as const]),
    ...Object.entries(parts).flatMap(([part, of]) => labelsIn(of ?? {}, part)),
  ]
  const missing = label === undefined ? [createFinding(table, 'arabic-label', 'label', withoutLabel)] : []
  return [...missing, ...labels.flatMap(([place, text]) => lintLabel(table, place, text))]
}

const fix = "write { en: '…', ar: '…' } in each of these places"

const withoutLabel = { text: 'there is no text', fix }

/** Merges the findings about labels into one, because a new table has one for every label. */
export function mergeLabelFindings(table: string, findings: readonly Finding[]): readonly Finding[] {
  const labels = findings.filter(({ rule }) => rule === 'arabic-label')
  if (labels.length === 0) return findings
  const faults = Object.entries(Object.groupBy(labels, ({ text }) => text)).map(
    ([fault, places = []]) => `${fault}: ${places.map(({ about }) => about).join(', ')}`,
  )
  const merged: Finding = {
    table,
    level: 'error',
    rule: 'arabic-label',
    about: 'labels',
    fix,
    text: `Arabic is missing in ${labels.length} of them (${faults.join('; ')})`,
  }
  return [merged, ...findings.filter(({ rule }) => rule !== 'arabic-label')]
}

/** Lists the texts for people with their paths: labels in both languages, and texts in place of a label. */
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
  const text = arabicFault(english, arabic)
  return text === undefined ? [] : [createFinding(table, 'arabic-label', place, { text, fix })]
}

function arabicFault(english: string, arabic: string): string | undefined {
  // Digits and signs are the same in both languages.
  if (!/\p{L}/u.test(english)) return undefined
  if (arabic.trim() === '') return 'the Arabic is empty'
  if (isArabicPlaceholder(arabic)) return 'the placeholder of make:table is still there'
  return /\p{Script=Arabic}/u.test(arabic) ? undefined : 'the text has no Arabic letter'
}
