import type { CatalogueColumn } from './read-catalogue.ts'

/** How a column is declared with drizzle, and what the file must import or declare for it. */
export interface DrizzleColumn {
  readonly text: string
  /** Builders of drizzle-orm/pg-core. */
  readonly builders: readonly string[]
  /** Whether its default is SQL. */
  readonly usesSql: boolean
  /** A comment on what a migration cannot create. */
  readonly note: string | null
}

/** drizzle's builder and its options by the type that Postgres writes. */
const builderByType: readonly (readonly [RegExp, string, (match: RegExpExecArray) => string])[] = [
  [/^(smallint|integer|boolean|text|uuid|date|jsonb|json|real|inet|cidr|macaddr)$/, '$1', () => ''],
  [/^bigint$/, 'bigint', () => "{ mode: 'bigint' }"],
  [/^double precision$/, 'doublePrecision', () => ''],
  [/^numeric(?:\((\d+),(\d+)\))?$/, 'numeric', ([, precision, scale]) => numericOptions(precision, scale)],
  [/^character varying(?:\((\d+)\))?$/, 'varchar', ([, length]) => (length ? `{ length: ${length} }` : '')],
  [/^character\((\d+)\)$/, 'char', ([, length]) => `{ length: ${length} }`],
  [/^timestamp(?:\((\d)\))? without time zone$/, 'timestamp', ([, precision]) => timeOptions(precision, false)],
  [/^timestamp(?:\((\d)\))? with time zone$/, 'timestamp', ([, precision]) => timeOptions(precision, true)],
  [/^interval$/, 'interval', () => ''],
  [
    /^time(?:\((\d)\))? without time zone$/,
    'time',
    ([, precision]) => (precision ? `{ precision: ${precision} }` : ''),
  ],
]

/** Builders for a default from a sequence: a migration creates the sequence with the column. */
const serialByType: ReadonlyMap<string, string> = new Map([
  ['smallint', 'smallserial()'],
  ['integer', 'serial()'],
  ['bigint', "bigserial({ mode: 'bigint' })"],
])

const inMode: ReadonlyMap<string, string> = new Map([['date', "{ mode: 'string' }"]])

const numericOptions = (precision: string | undefined, scale: string | undefined): string =>
  precision === undefined ? '' : `{ precision: ${precision}, scale: ${scale} }`

const timeOptions = (precision: string | undefined, zone: boolean): string =>
  `{ ${zone ? 'withTimezone: true, ' : ''}${precision === undefined ? '' : `precision: ${precision}, `}mode: 'string' }`

/**
 * Declares a column; `enumName` is the constant of its enum, where it has one. A type that drizzle has no builder for
 * becomes one of its custom types, so that a migration still makes the very same column.
 */
export function drizzleColumn(column: CatalogueColumn, enumName: string | undefined): DrizzleColumn {
  const serial = isNextNumber(column) ? serialByType.get(column.type) : undefined
  if (serial !== undefined) return { text: serial, builders: [serial.replace(/\(.*/, '')], usesSql: false, note: null }
  const isList = column.type.endsWith('[]')
  const { text, builder } =
    enumName === undefined ? findBuilder(column.type.replace(/\[\]$/, '')) : enumBuilder(enumName)
  const value = defaultText(column)
  const parts = [
    text,
    isList ? '.array()' : '',
    column.identity === 'always' ? '.generatedAlwaysAsIdentity()' : '',
    column.identity === 'by default' ? '.generatedByDefaultAsIdentity()' : '',
    column.generated ? `.generatedAlwaysAs(${value})` : value === '' ? '' : `.default(${value})`,
  ]
  const note = needsSequence(column)
    ? `Its default in the database, ${column.default}, is not here, because no migration makes that sequence.`
    : null
  return { text: parts.join(''), builders: builder, usesSql: value.startsWith('sql`'), note }
}

const isNextNumber = ({ default: value }: CatalogueColumn): boolean =>
  value !== null && /^nextval\('(?:[^']|'')+'::regclass\)$/.test(value)

const needsSequence = ({ default: value }: CatalogueColumn): boolean => value?.includes('nextval(') === true

const enumBuilder = (enumName: string) => ({ text: `${enumName}()`, builder: [] as readonly string[] })

function findBuilder(type: string): { readonly text: string; readonly builder: readonly string[] } {
  for (const [pattern, name, options] of builderByType) {
    const match = pattern.exec(type)
    if (match === null) continue
    const builder = name.replace('$1', match[1] ?? '')
    return { text: `${builder}(${inMode.get(builder) ?? options(match)})`, builder: [builder] }
  }
  // drizzle-kit puts quotes around such a name itself.
  const data = `customType<{ data: unknown }>({ dataType: () => ${JSON.stringify(type.replaceAll('"', ''))} })()`
  return { text: data, builder: ['customType'] }
}

/** A literal where drizzle can write it, else SQL. */
function defaultText(column: CatalogueColumn): string {
  const { default: value, type, identity, values } = column
  if (value === null || identity !== null || needsSequence(column)) return ''
  const literal = /^'((?:[^']|'')*)'(?:::[\w\s"()]+)?$/.exec(value)
  if (/^(true|false)$/.test(value) && type === 'boolean') return value
  if (/^-?\d{1,15}$/.test(value) && /^(smallint|integer)$/.test(type)) return value
  if (literal !== null && (values !== null || /^(text|character varying)/.test(type)) && !type.endsWith('[]'))
    return JSON.stringify((literal[1] ?? '').replaceAll("''", "'"))
  if (value === 'now()') return 'sql`now()`'
  return `sql\`${value.replace(/[`\\$]/g, '\\$&')}\``
}
