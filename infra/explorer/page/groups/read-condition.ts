import type { EntryFault } from '../filters/entry-fault.ts'
import { type FilterField, fieldNames, fieldOptions } from '../filters/filter-field.ts'
import type { Bindings } from '../service/wire.ts'
import { type Applied, takesList, takesNothing } from '../state/view.ts'
import type { Words } from '../texts/language.tsx'
import { type Condition, nextKey } from './group.ts'
import { groupTexts } from './group-texts.ts'

/** The fields of the part `menus` for days and periods, and its readers of what is entered. */
export type FieldMenus = Pick<typeof import('../menus.ts'), 'DayField' | 'PeriodField' | 'readDays' | 'readEntries'>

/** How a condition's value is entered. */
export type Entry = 'nothing' | 'period' | 'days' | 'choice' | 'text'

export const findField = (fields: readonly FilterField[], name: string): FilterField | undefined =>
  fields.find((field) => fieldNames(field).includes(name))

/** The comparisons of a filter in a condition; a date can also be before the end of a day. */
export const conditionOperators = ({ filter, until }: FilterField): readonly string[] => {
  const own: readonly string[] = filter.props.operators
  return until === undefined || own.includes('<=') ? own : own.flatMap((one) => (one === '>=' ? [one, '<='] : [one]))
}

/** Returns the name under which a comparison goes to the service. */
const conditionName = ({ filter, until }: FilterField, operator: string): string =>
  until !== undefined && operator === '<=' ? until.filter_name : filter.filter_name

export function chooseEntry(field: FilterField, operator: string, bindings: Bindings | undefined): Entry {
  if (takesNothing(operator)) return 'nothing'
  if (operator === 'within') return 'period'
  if (field.until !== undefined) return 'days'
  return fieldOptions(field.filter, bindings).length > 0 ? 'choice' : 'text'
}

/** The faults of conditions by their keys. */
export type Faults = ReadonlyMap<number, EntryFault>

/** Returns a condition of a field, with nothing entered yet. */
export const beginCondition = (field: FilterField) => ({
  key: nextKey(),
  field: field.filter.filter_name,
  operator: conditionOperators(field)[0] ?? '=',
  value: '',
})

/** The name of a condition's value in the form. */
export const entryName = ({ key }: Condition, end: 0 | 1 = 0): string => `value ${key} ${end}`

interface Reading {
  readonly form: FormData
  readonly fields: readonly FilterField[]
  readonly bindings: Bindings | undefined
  readonly menus: FieldMenus
  readonly words: Words
}

/** Returns a condition with what was entered as its value, or what is wrong with it. */
export function readCondition(condition: Condition, reading: Reading): Condition | EntryFault {
  const { form, fields, bindings, menus, words } = reading
  const { operator } = condition
  const { fill, gone } = groupTexts[words.language]
  const field = findField(fields, condition.field)
  if (field === undefined) return { text: gone }
  const { filter, until } = field
  const texts = form.getAll(entryName(condition)).map(String)
  const [value = ''] = texts
  const upper = String(form.get(entryName(condition, 1)) ?? '')
  const finish = (read: readonly Applied[] | EntryFault): Condition | EntryFault => {
    if ('text' in read) return read
    const [only] = read
    return only === undefined || only.value.length === 0 ? { text: fill } : { ...only, key: condition.key }
  }
  const name = conditionName(field, operator)
  switch (chooseEntry(field, operator, bindings)) {
    case 'nothing':
      return { ...condition, field: name, value: '' }
    case 'period':
      return finish([{ field: name, operator, value }])
    case 'choice':
      return finish([{ field: name, operator, value: takesList(operator) ? texts : value }])
    case 'days': {
      const days = menus.readDays(operator, { filter, until: until ?? filter }, [value, upper], words)
      return finish('text' in days ? days : days.map((one) => ({ ...one, field: name })))
    }
    case 'text':
      if (operator === 'between' && (value === '') !== (upper === '')) {
        return { text: words.t.bothEnds, end: value === '' ? 0 : 1 }
      }
      return finish(menus.readEntries(filter, operator, { value, upper }, words))
  }
}
