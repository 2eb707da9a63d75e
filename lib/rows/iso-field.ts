import type { CompiledColumn } from '../table/compiled-table.ts'
import type { Source } from '../table/source.ts'
import type { Field } from '../table/view.ts'

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

/**
 * Returns a date of a column as ISO text, as exact as its pattern; `undefined` where the pattern leaves out the year.
 * `source` is the date, or a total of it.
 */
export function isoField({ definition }: CompiledColumn, source: Source): Field | undefined {
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
  if (!source.isInstant) return { source, datePattern: template }
  const utc: Source = {
    ...source,
    key: `${source.key} in UTC`,
    kind: 'timestamp',
    isInstant: false,
    expression: (statement) => `(${source.expression(statement)} at time zone 'UTC')`,
  }
  return { source: utc, datePattern: `${template}"Z"` }
}
