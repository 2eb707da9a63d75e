import type { CompiledColumn } from '../table/compiled-table.ts'
import type { Field } from '../table/view.ts'
import { createCellFormat } from './cell.ts'

/** A value of `_raw`, and how JSON writes it. */
export interface RawValue {
  readonly key: string
  readonly field: Field
  readonly read: (value: unknown) => unknown
}

/**
 * Returns the unformatted value of a column. A column whose cells a function writes has none, because the function may hide some of it, and a
 * date has no more than its own pattern shows.
 */
export function rawValue(column: CompiledColumn): RawValue | undefined {
  const { key, type, definition, source } = column
  if (source === undefined || ('format' in definition && definition.format !== undefined)) return undefined
  if (type === 'date') {
    const field = isoField(column, source)
    return field && { key, field, read: (value) => value }
  }
  const isNumber = type === 'number' || source.kind === 'integer' || source.kind === 'decimal'
  return { key, field: { source, datePattern: undefined }, read: isNumber ? createCellFormat('number') : plainValue }
}

/** JSON has neither NaN nor an absent value. */
const plainValue = (value: unknown): unknown =>
  value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? null : value

type Source = Field['source']

/** The tokens of a pattern from the year on, with ISO 8601 up to each of them as `to_char` writes it. */
const isoSteps = [
  ['yyyy', 'YYYY'],
  ['MM', 'YYYY-MM'],
  ['dd', 'YYYY-MM-DD'],
  ['HH', 'YYYY-MM-DD"T"HH24":00"'],
  ['mm', 'YYYY-MM-DD"T"HH24:MI'],
  ['ss', 'YYYY-MM-DD"T"HH24:MI:SS'],
] as const

const wholeMoment = 'YYYY-MM-DD"T"HH24:MI:SS.MS'

function isoField({ definition }: CompiledColumn, source: Source): Field | undefined {
  const own = 'pattern' in definition ? definition.pattern : undefined
  if (own === undefined) {
    if (source.kind === 'date') return { source, datePattern: 'YYYY-MM-DD' }
    return inUtc(source, wholeMoment)
  }
  const hidden = isoSteps.findIndex(([token]) => !own.includes(token))
  const shown = hidden < 0 ? isoSteps.length : hidden
  const template = isoSteps[shown - 1]?.[1]
  if (template === undefined) return undefined
  // Hours and days are those of the table's time zone.
  return shown > 4 ? inUtc(source, template) : { source, datePattern: template }
}

function inUtc(source: Source, template: string): Field {
  if (source.kind !== 'instant') return { source, datePattern: template }
  const utc: Source = {
    ...source,
    key: `${source.key} in UTC`,
    kind: 'timestamp',
    expression: (statement) => `(${source.expression(statement)} at time zone 'UTC')`,
  }
  return { source: utc, datePattern: `${template}"Z"` }
}
