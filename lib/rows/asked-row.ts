import type { Source } from '../table/source.ts'
import { keyText } from './key-text.ts'
import { readIds, toRowId } from './row-id.ts'

/** A row that a request names. `id` is that of its item; `key` is `undefined` if no row can have this id. */
export interface AskedRow {
  readonly id: string | number
  readonly key: string | undefined
}

/** Reads the id of a row, which may have another JSON type than that of its item, or another spelling. */
export function readRow(key: Source, id: string | number): AskedRow {
  const text = keyText(key, id)
  return { id: text === undefined ? id : toRowId(key, text), key: text }
}

/** Reads a list of row ids as `readIds` does, each row once. */
export function readRows(key: Source, value: unknown, field: string, min: number, max: number): readonly AskedRow[] {
  const rows = readIds(value, field, min, max).map((id) => readRow(key, id))
  return [...new Map(rows.map((row) => [row.key ?? row.id, row])).values()]
}
