import { fieldNames, filterFields, operatorText, valueLabel } from '../filters/filter-field.ts'
import { periodText } from '../filters/period-words.ts'
import type { Bindings, Structure } from '../service/wire.ts'
import { takesNothing, takesRange } from '../state/view.ts'
import type { Words } from '../texts/language.tsx'
import { type Condition, type Group, isGroup, readGroup } from './group.ts'
import { groupTexts } from './group-texts.ts'

interface Reader {
  readonly structure: Structure
  readonly bindings: Bindings | undefined
  readonly words: Words
}

/** Writes groups in words, such as "Status is Open or Phase is Landing"; `undefined` if they cannot be read. */
export function describeGroups(json: unknown, reader: Reader): string | undefined {
  const group = readGroup(json, reader.structure)
  return group && describeGroup(group, reader)
}

function describeGroup({ kind, parts }: Group, reader: Reader): string {
  const { joins, no } = groupTexts[reader.words.language]
  const isAlone = parts.length === 1 && kind !== 'none'
  const texts = parts.map((part) => {
    if (!isGroup(part)) return describeCondition(part, reader)
    const text = describeGroup(part, reader)
    return isAlone || (part.parts.length === 1 && part.kind !== 'none') ? text : `(${text})`
  })
  const text = texts.join(` ${joins[kind]} `)
  return kind === 'none' ? `${no}: ${text}` : text
}

function describeCondition(
  { field: name, operator, value }: Condition,
  { structure, bindings, words }: Reader,
): string {
  const field = filterFields(structure).find((one) => fieldNames(one).includes(name))
  if (field === undefined) return name
  // Behind a colon, Arabic words need not agree with the label.
  const label = words.language === 'ar' ? `${field.label}:` : field.label
  if (operator === 'within') return `${label} ${periodText(String(value), words.language)}`
  const begin = `${label} ${operatorText(field, operator, words)}`
  if (takesNothing(operator)) return begin
  const values = [value].flat().map((one) => valueLabel(field, one, bindings, words))
  return `${begin} ${values.join(takesRange(operator) ? words.t.between : words.t.comma)}`
}
