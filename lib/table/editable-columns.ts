import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import type { $ZodType } from 'zod/v4/core'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import type { Bilingual, Label } from '../i18n/language.ts'
import type { AnyContext, AnyRow } from './context.ts'
import { listColumns, type Source } from './source.ts'
import { integerRange } from './value-kind.ts'
import type { TableView } from './view.ts'

/** A column whose cells a caller may change. */
export interface EditableColumn {
  readonly key: string
  readonly label: Label
  readonly attribute: PgColumn
  readonly source: Source
  readonly isSensitive: boolean
  /** The values that a client may write. */
  readonly form: $ZodType
  /** Whether Postgres takes each value that `form` lets through, unless a rule forbids it. */
  readonly isExact: boolean
  readonly isOpen: (row: AnyRow, context: AnyContext) => boolean
  /** The expression that writes a value which the schema has let through. Local times are those of `timeZone`. */
  readonly toSql: (value: unknown, timeZone: string) => SQL
}

const known = new WeakMap<TableView, ReadonlyMap<string, EditableColumn>>()

/**
 * Returns the columns that a caller may edit, by their keys. Columns that the caller does not see are not among them.
 */
export function listEditableColumns(view: TableView): ReadonlyMap<string, EditableColumn> {
  const columns = known.get(view) ?? createEditableColumns(view)
  known.set(view, columns)
  return columns
}

function createEditableColumns({ table, columns }: TableView): ReadonlyMap<string, EditableColumn> {
  const attributes = listColumns(table.definition.from)
  return new Map(
    columns.flatMap(({ key, source, definition }): (readonly [string, EditableColumn])[] => {
      const { editable, label, sensitive } = definition
      const attribute = attributes[key]
      if (editable === undefined || source === undefined || attribute === undefined) return []
      const { schema = undefined, when = undefined } = editable === true ? {} : editable
      return [
        [
          key,
          {
            key,
            label,
            attribute,
            source,
            isSensitive: sensitive === true,
            form: schema ?? createCellSchema(source),
            isExact: schema === undefined && source.kind !== 'other',
            isOpen: (row, context) => when === undefined || when(row, context) === true,
            toSql: (value, timeZone) => {
              if (value === null) return sql`null`
              return schema === undefined ? wireValue(source, value, timeZone) : sql`${sql.param(value, attribute)}`
            },
          },
        ],
      ]
    }),
  )
}

/** Postgres infers the type of a parameter from the column that it is written to, and checks its length and digits. */
function wireValue({ kind }: Source, value: unknown, timeZone: string): SQL {
  const text = String(value)
  if (kind !== 'timestamp' && kind !== 'instant') return sql`${text}`
  const isLocal = !/(z|[+-]\d\d(:?\d\d)?)$/i.test(text)
  if (isLocal === (kind === 'timestamp'))
    return kind === 'instant' ? sql`${text}::timestamptz` : sql`${text}::timestamp`
  return isLocal
    ? sql`(${text}::timestamp at time zone ${timeZone}::text)`
    : sql`(${text}::timestamptz at time zone ${timeZone}::text)`
}

/** The values of a type of the database, as JSON. */
interface CellValues {
  readonly includes: (value: unknown) => boolean
  readonly fault: Bilingual
  /** As JSON Schema. */
  readonly described: { readonly type: string | readonly string[]; readonly [key: string]: unknown }
}

/**
 * Creates the schema of the values that a client may write into an attribute, by its type in the database. Decimals and
 * integers beyond a double are texts, so that no digit is lost; a time without an offset is one of the table's time
 * zone.
 */
function createCellSchema(source: Source): z.ZodMiniType {
  const { includes, fault, described } = findValues(source)
  const { nullable } = source
  const accepts = (value: unknown) => (value === null ? nullable : includes(value))
  // Takes any value. Each further kind of schema would be loaded with every request.
  return z
    .transform((value: unknown) => value)
    .check(z.refine(accepts, { error: fault.en, params: { ar: fault.ar } }))
    .register(z.globalRegistry, nullable ? withNull(described) : described)
}

const withNull = ({ type, ...described }: CellValues['described']): CellValues['described'] => ({
  type: [type, 'null'].flat(),
  ...described,
  ...(Array.isArray(described['enum']) && { enum: [...described['enum'], null] }),
})

function findValues({ kind, sqlType, declaredValues }: Source): CellValues {
  if (declaredValues !== undefined) return listedValues(declaredValues)
  switch (kind) {
    case 'integer':
      return sqlType.startsWith('big') ? largeIntegers(integerRange(sqlType)) : integers(integerRange(sqlType))
    case 'decimal':
      if (sqlType === 'real') return singles
      return sqlType.startsWith('double') ? numbers : decimals(sqlType)
    case 'boolean':
      return booleans
    case 'uuid':
      return uuids
    case 'date':
      return days
    case 'timestamp':
    case 'instant':
      return moments
    default:
      return /^time(\(\d\))?$/.test(sqlType) ? times : texts(sqlType)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const booleans: CellValues = {
  includes: (value) => typeof value === 'boolean',
  fault: fieldFault('not_a_boolean'),
  described: { type: 'boolean' },
}

const numbers: CellValues = {
  includes: Number.isFinite,
  fault: fieldFault('not_a_number'),
  described: { type: 'number' },
}

/** Postgres refuses what four bytes cannot hold, also a value that they would round to zero. */
const singles: CellValues = {
  ...numbers,
  includes: (value) => {
    const rounded = Math.fround(Number.isFinite(value) ? Number(value) : Number.NaN)
    return Number.isFinite(rounded) && (rounded !== 0 || value === 0)
  },
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const uuids: CellValues = {
  includes: (value) => isText(value) && uuid.test(value),
  fault: fieldFault('not_a_uuid'),
  described: { type: 'string', format: 'uuid' },
}

const day = /^(?!0000)\d{4}-\d{2}-\d{2}$/

const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`)
  return day.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const days: CellValues = {
  includes: (value) => isText(value) && isDay(value),
  fault: fieldFault('not_a_day'),
  described: { type: 'string', format: 'date' },
}

const clock = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)?$/

const moments: CellValues = {
  includes: (value) => isText(value) && isDay(value.slice(0, 10)) && value[10] === 'T' && clock.test(value.slice(11)),
  fault: {
    en: 'must be a date and time such as 2026-01-31T08:00:00, or 2026-01-31T08:00:00Z with an offset',
    ar: 'يجب أن يكون تاريخًا ووقتًا مثل \u200e2026-01-31T08:00:00، أو \u200e2026-01-31T08:00:00Z مع فرق التوقيت',
  },
  described: { type: 'string', format: 'date-time' },
}

const time = /^(([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?|24:00(:00)?)$/

const times: CellValues = {
  includes: (value) => isText(value) && time.test(value),
  fault: fieldFault('not_a_time'),
  described: { type: 'string', pattern: time.source },
}

const listedValues = (values: readonly string[]): CellValues => ({
  includes: (value) => isText(value) && values.includes(value),
  fault: listOptions(values),
  described: { type: 'string', enum: values },
})

function integers([min, max]: readonly [bigint, bigint]): CellValues {
  const minimum = Number(min)
  const maximum = Number(max)
  return {
    includes: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    fault: fieldFault('not_whole', { min: minimum, max: maximum }),
    described: { type: 'integer', minimum, maximum },
  }
}

const digits = /^-?\d{1,19}$/

function largeIntegers([min, max]: readonly [bigint, bigint]): CellValues {
  const { en, ar } = fieldFault('not_whole', { min: String(min), max: String(max) })
  return {
    includes: (value) =>
      Number.isSafeInteger(value) ||
      (isText(value) && digits.test(value) && BigInt(value) >= min && BigInt(value) <= max),
    fault: { en: `${en}, as a text beyond 15 digits`, ar: `${ar}، وعلى شكل نص إن زاد على 15 رقمًا` },
    described: { type: ['integer', 'string'], pattern: digits.source },
  }
}

/** The digits that a decimal without a declared precision may have before and behind its point. */
const maxDigits = 100

/** A part of a fault that is about JSON alone. */
export const decimalHint: Bilingual = { en: ' as a text such as "12.50"', ar: ' على شكل نص مثل "12.50"' }

function decimals(sqlType: string): CellValues {
  const [, precision, scale = '0'] = /\((\d+)(?:,\s*(\d+))?\)/.exec(sqlType) ?? []
  const behind = precision === undefined ? maxDigits : Number(scale)
  const before = precision === undefined ? maxDigits : Math.max(Number(precision) - behind, 1)
  const pattern = behind === 0 ? `^-?\\d{1,${before}}$` : `^-?\\d{1,${before}}(\\.\\d{1,${behind}})?$`
  const form = new RegExp(pattern)
  return {
    includes: (value) => isText(value) && form.test(value),
    fault: {
      en: `must be a number${decimalHint.en}, with at most ${before} digits before the point and ${behind} behind it`,
      ar: `يجب أن يكون عددًا${decimalHint.ar}، بحد أقصى ${before} قبل الفاصلة و${behind} بعدها من الأرقام`,
    },
    described: { type: 'string', pattern },
  }
}

function texts(sqlType: string): CellValues {
  const [, length] = /^(?:var)?char\((\d+)\)/.exec(sqlType) ?? []
  if (length === undefined) return { includes: isText, fault: fieldFault('not_a_text'), described: { type: 'string' } }
  return {
    // Postgres and JSON Schema count characters, JavaScript the halves of some of them.
    includes: (value) => isText(value) && [...value].length <= Number(length),
    fault: {
      en: `must be a text of at most ${length} characters`,
      ar: `يجب أن يكون نصًا لا يزيد عدد أحرفه على ${length}`,
    },
    described: { type: 'string', maxLength: Number(length) },
  }
}
