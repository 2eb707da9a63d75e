import { type Language, translate } from '../i18n/language.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import { takesAll } from '../table/filter-operators.ts'
import type { Operator } from '../wire/vocabulary.ts'
import { enumSchema, type JsonSchema } from './json-schema.ts'

const text: JsonSchema = { type: 'string', maxLength: 1_000 }
const number: JsonSchema = { anyOf: [{ type: 'number' }, { type: 'string', maxLength: 100 }] }
const truth: JsonSchema = { enum: [true, false, 1, 0, '1', '0', 'true', 'false'] }
const all: JsonSchema = { const: 'all' }
const day: JsonSchema = {
  description: 'A day, a clock time in the zone of the table, a moment, or epoch milliseconds',
  anyOf: [{ type: 'string', maxLength: 64 }, { type: 'integer' }],
}

/** One entry of the `filters` of a request: the name, the operators that it allows, and what its value may be. */
export function filterSchema(filter: CompiledFilter, language: Language): JsonSchema {
  const { name, operators, definition } = filter
  return {
    type: 'object',
    title: translate(definition.label, language),
    properties: {
      field: { const: name },
      operator: { type: 'string', enum: operators, description: `Default \`${operators[0]}\`` },
      value: filterValueSchema(filter),
    },
    required: operators.some((operator) => operandForm(operator) === 'nothing') ? ['field'] : ['field', 'value'],
  }
}

/** Any value that one of a filter's operators takes. */
export function filterValueSchema(filter: CompiledFilter): JsonSchema {
  const taken = new Set(filter.operators.map(operandForm))
  // Its schema is empty, which in `anyOf` would allow every value of the other operators.
  if (taken.size > 1) taken.delete('nothing')
  const operands = [...taken].map((form) => formSchema(filter, form))
  const whole = takesAll(filter.type) ? [all] : []
  const range = filter.type === 'date' ? [between] : []
  const schemas = [...operands, ...range, ...whole]
  return schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas }
}

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

const period: JsonSchema = {
  type: 'string',
  description: 'Such as `today`, `this_week`, `last_7_days`, `next_2_months` or `year_to_date`',
}

const between: JsonSchema = {
  type: 'object',
  description: 'Both ends at once; either may be missing',
  properties: { from: { anyOf: [day, { type: 'null' }] }, to: { anyOf: [day, { type: 'null' }] } },
}

function formSchema(filter: CompiledFilter, form: Form): JsonSchema {
  const value = valueSchema(filter)
  if (form === 'nothing') return {}
  if (form === 'period') return period
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

function valueSchema({ type, allowed, source }: CompiledFilter): JsonSchema {
  if (type === 'date') return day
  if (type === 'null') return { anyOf: [{ enum: ['set', 'not_set'] }, truth] }
  if (type === 'boolean' || source.kind === 'boolean') return truth
  if (type !== 'text' && allowed !== undefined) return enumSchema(allowed)
  if (type === 'number' || source.kind === 'integer' || source.kind === 'decimal') return number
  return text
}
