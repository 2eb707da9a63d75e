/**
 * The meaning of a database type for filters and cells. `other` is shown as the text that Postgres writes. `unknown` is
 * a computed expression, whose type only Postgres knows.
 */
export type ValueKind =
  | 'integer'
  | 'decimal'
  | 'text'
  | 'enum'
  | 'uuid'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'instant'
  | 'json'
  | 'array'
  | 'other'
  | 'unknown'

const kindByType: readonly (readonly [RegExp, ValueKind])[] = [
  [/\[\d*\]$/, 'array'],
  [/^(smallint|integer|bigint|smallserial|serial|bigserial)$/, 'integer'],
  [/^(numeric|decimal|real|double precision)\b/, 'decimal'],
  [/^(text|varchar|char(acter)?|citext)\b/, 'text'],
  [/^uuid$/, 'uuid'],
  [/^boolean$/, 'boolean'],
  [/^date$/, 'date'],
  [/^timestamp(tz\b|\b.*with time zone$)/, 'instant'],
  [/^timestamp\b/, 'timestamp'],
  [/^jsonb?$/, 'json'],
  [/^(time|interval|inet|cidr|macaddr8?|bit|varbit)\b/, 'other'],
]

/** The kind of a Postgres type by its name; `undefined` for one that the service cannot show. */
export const kindOfType = (sqlType: string): ValueKind | undefined =>
  kindByType.find(([pattern]) => pattern.test(sqlType))?.[1]

/** Names a varchar as drizzle does. Postgres writes its long name, which begins like that of a padded text. */
export const shortTypeName = (sqlType: string): string => sqlType.replace(/^character varying/, 'varchar')

/** Whether equal values have equal texts, by which a row is found again. */
export const canBeKey = (kind: ValueKind, sqlType: string): boolean =>
  kind !== 'json' &&
  kind !== 'array' &&
  kind !== 'boolean' &&
  !/^(char|citext|real|double)/.test(shortTypeName(sqlType))

/** Whether a kind has dates or moments. */
export const isTemporal = (kind: ValueKind): boolean => kind === 'date' || kind === 'timestamp' || kind === 'instant'

/** The least and greatest value of each integer type. */
export const integerRange = (sqlType: string): readonly [bigint, bigint] => {
  if (/^small/.test(sqlType)) return [-32_768n, 32_767n]
  if (/^big/.test(sqlType)) return [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n]
  return [-2_147_483_648n, 2_147_483_647n]
}
