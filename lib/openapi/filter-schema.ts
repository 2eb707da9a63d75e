import { type Language, translate } from '../i18n/language.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import { takesAll } from '../table/filter-operators.ts'
import type { Operator } from '../wire/vocabulary.ts'
import { anyOf, enumSchema, type JsonSchema, orNull, ref, type Schemas } from './json-schema.ts'
import { componentName } from './named-table.ts'

const text: JsonSchema = { type: 'string', maxLength: 1_000 }
const number = ref('NumberValue')
const truth = ref('TruthValue')
const day = ref('DateValue')
const all: JsonSchema = { type: 'string', const: 'all' }

/** Values that bodies of any table have. */
export const sharedValues: Schemas = {
  // Some generators do not end where a reference leads to a list of types.
  RowId: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  NumberValue: { anyOf: [{ type: 'number' }, { type: 'string', maxLength: 100 }] },
  TruthValue: {
    anyOf: [{ type: 'boolean' }, { type: 'integer', enum: [0, 1] }, enumSchema(['0', '1', 'false', 'true'])],
  },
  DateValue: {
    description: 'A day, a clock time in the zone of the table, a moment, or epoch milliseconds',
    anyOf: [{ type: 'string', maxLength: 64 }, { type: 'integer' }],
  },
  DateRange: {
    type: 'object',
    description: 'Both ends at once; either may be missing',
    properties: { from: orNull(day), to: orNull(day) },
  },
  Period: {
    type: 'string',
    description: 'Such as `today`, `this_week`, `last_7_days`, `next_2_months` or `year_to_date`',
  },
}

/** One entry of the `filters` of a request: the name, the operators that it allows, and what its value may be. */
export function filterSchema(table: string, filter: CompiledFilter, language: Language): JsonSchema {
  const { name, definition } = filter
  const { properties, required = [] } = namedFilterSchema(table, filter)
  return {
    type: 'object',
    title: translate(definition.label, language),
    properties: { field: { type: 'string', const: name }, ...Object(properties) },
    required: ['field', ...(required as readonly string[])],
  }
}

/** The same under its name in an object of filters. */
export function namedFilterSchema(table: string, filter: CompiledFilter): JsonSchema {
  const { operators } = filter
  const operator = orNull({ type: 'string', enum: operators, description: `Default \`${operators[0]}\`` })
  const value = filterValueSchema(table, filter)
  return operators.some((one) => operandForm(one) === 'nothing')
    ? { type: 'object', properties: { operator, value: orNull(value) } }
    : { type: 'object', properties: { operator, value }, required: ['value'] }
}

/** Any value that one of a filter's operators takes. */
export function filterValueSchema(table: string, filter: CompiledFilter): JsonSchema {
  const taken = new Set(filter.operators.map(operandForm))
  // Its schema is empty, which in `anyOf` would allow every value of the other operators.
  if (taken.size > 1) taken.delete('nothing')
  const operands = [...taken].map((form) => formSchema(table, filter, form))
  const whole = takesAll(filter.type) ? [all] : []
  const range = filter.type === 'date' ? [ref('DateRange')] : []
  return anyOf([...operands, ...range, ...whole])
}

/** The options of filters that list them, each under the name that their values refer to. */
export const optionSchemas = (table: string, filters: Iterable<CompiledFilter>): Schemas =>
  Object.fromEntries(
    [...filters].flatMap((filter) => {
      const { allowed } = filter
      return allowed !== undefined && hasOptions(filter) ? [[optionsName(table, filter), enumSchema(allowed)]] : []
    }),
  )

const optionsName = (table: string, { name }: CompiledFilter) => `${table}.options.${componentName(name)}`

const hasOptions = ({ type, source }: CompiledFilter): boolean =>
  type !== 'text' && type !== 'date' && type !== 'null' && type !== 'boolean' && source.kind !== 'boolean'

/** How the value of an operator is written. */
type Form = 'one' | 'list' | 'range' | 'period' | 'nothing'

const forms: Readonly<Partial<Record<Operator, Form>>> = {
  in: 'list',
  'not in': 'list',
  between: 'range',
  'not between': 'range',
  within: 'period',
  'is null': 'nothing',
  'is not null': 'nothing',
}

const operandForm = (operator: Operator): Form => forms[operator] ?? 'one'

function formSchema(table: string, filter: CompiledFilter, form: Form): JsonSchema {
  const value = valueSchema(table, filter)
  if (form === 'nothing') return {}
  if (form === 'period') return ref('Period')
  if (form === 'one') return value
  if (form === 'range') {
    const ends = { type: 'array', items: value, minItems: 2, maxItems: 2 }
    return { anyOf: [ends, { type: 'string', description: 'Both ends, as in "A - B"' }] }
  }
  const items = takesAll(filter.type) ? { anyOf: [value, all] } : value
  return {
    anyOf: [
      { type: 'array', items, maxItems: 1_000 },
      { type: 'string', description: 'The values with commas in between' },
    ],
  }
}

function valueSchema(table: string, filter: CompiledFilter): JsonSchema {
  const { type, allowed, source } = filter
  if (type === 'date') return day
  if (type === 'null') return { anyOf: [enumSchema(['set', 'not_set']), truth] }
  if (type === 'boolean' || source.kind === 'boolean') return truth
  if (allowed !== undefined && hasOptions(filter)) return ref(optionsName(table, filter))
  if (type === 'number' || source.kind === 'integer' || source.kind === 'decimal') return number
  return text
}
