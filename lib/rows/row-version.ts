import { createHmac } from 'node:crypto'
import { deriveKey } from '../auth/derived-key.ts'
import type { Database } from '../db/database.ts'
import { isFormatted } from '../table/column-definition.ts'
import type { CompiledColumn, CompiledTable } from '../table/compiled-table.ts'
import type { Source } from '../table/source.ts'

/**
 * Returns what the version of a row is made of: the table's version column, else what Postgres changes with every
 * update.
 */
export function versionSource({ definition, sources, text, key }: CompiledTable): Source {
  const named = definition.version === undefined ? undefined : sources.get(definition.version)
  const expression =
    named === undefined
      ? () => `${text}.xmin::text || ${text}.ctid::text`
      : (statement: Statement) => namedText(named, statement)
  return { ...key, key: '__version', kind: 'other', sqlType: 'text', nullable: true, join: undefined, expression }
}

type Statement = Parameters<Source['expression']>[0]

/** The text of an instant depends on the time zone of the session. */
const namedText = (named: Source, statement: Statement): string =>
  named.kind === 'instant'
    ? `(${named.expression(statement)} at time zone 'UTC')::text`
    : `${named.expression(statement)}::text`

/** A version is a seal over the row, and for each of its cells a tag of the column and a digest of the value. */
const sealLength = 22
const tagLength = 2
const cellLength = 6

/**
 * Returns a writer of versions, which tell nothing but whether the row and its cells have changed: not the value of a
 * column that is hidden from the caller, nor how much is written to the database.
 */
export function createVersionWriter(secret: string, { name }: CompiledTable, columns: readonly CompiledColumn[]) {
  const seal = (parts: readonly unknown[], length: number): string =>
    createHmac('sha256', deriveKey(secret, 'table-control version of a row'))
      .update(JSON.stringify([name, ...parts]))
      .digest('base64url')
      .slice(0, length)
  const tags = columns.map(({ key }) => seal([key], tagLength))
  return (id: unknown, version: unknown, cells: readonly unknown[]): string => {
    let text = seal([String(id), version], sealLength)
    for (const [at, { key }] of columns.entries())
      text += `${tags[at]}${seal([String(id), key, cells[at]], cellLength - tagLength)}`
    return text
  }
}

/** Whether a version covers the cells of a column: its own values, and none that a function may hide. */
export const hasVersionedCells = ({ source, definition }: CompiledColumn): boolean =>
  source !== undefined && source.join === undefined && source.kind !== 'unknown' && !isFormatted(definition)

/** Whether two versions are of the same state of the row, even if they cover different columns. */
export const isSameVersion = (left: string, right: string): boolean =>
  left.slice(0, sealLength) === right.slice(0, sealLength)

/** Returns those of `columns`, which `now` covers in this order, whose cells differ from what `expected` covers. */
export function changedColumns<Column>(expected: string, now: string, columns: readonly Column[]): readonly Column[] {
  const known = new Set(splitCells(expected))
  const tags = new Set([...known].map((cell) => cell.slice(0, tagLength)))
  const cells = splitCells(now)
  return columns.filter((_, at) => tags.has(cells[at]?.slice(0, tagLength) ?? '') && !known.has(cells[at] ?? ''))
}

const splitCells = (version: string): readonly string[] => version.slice(sealLength).match(/.{6}/g) ?? []

const known = new WeakMap<CompiledTable, boolean>()

/** Returns whether rows have versions. Rows of views have none, unless the table names a column. */
export async function hasVersions({ read }: Pick<Database, 'read'>, table: CompiledTable): Promise<boolean> {
  if (table.definition.version !== undefined) return true
  const remembered = known.get(table)
  if (remembered !== undefined) return remembered
  const [row] = await read('select relkind from pg_catalog.pg_class where oid = $1::regclass', [table.text])
  const isStored = /^[rpm]$/.test(String(row?.[0]))
  known.set(table, isStored)
  return isStored
}
