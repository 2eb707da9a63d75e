/**
 * Writes a value of an author as JSON that Postgres can store. A bigint is a text, as in cells, and what no text of
 * Postgres can hold is left out.
 */
export const storedJson = (value: unknown): string => JSON.stringify(value, storableValue)

function storableValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}
