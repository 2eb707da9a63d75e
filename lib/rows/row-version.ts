import { createHmac } from 'node:crypto'
import { deriveKey } from '../auth/derived-key.ts'
import type { Database } from '../db/database.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { Source } from '../table/source.ts'

/** Returns what the version of a row is made of: the table's version column, else what Postgres changes with every update. */
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

const versionLength = 22

/**
 * Seals a version, so that it tells nothing but whether the row has changed: not the value of a column that is hidden from the caller, nor how
 * much is written to the database.
 */
export const sealVersion = (secret: string, { name }: CompiledTable, key: unknown, value: unknown): string =>
  createHmac('sha256', deriveKey(secret, 'table-control version of a row'))
    .update(JSON.stringify([name, String(key), value]))
    .digest('base64url')
    .slice(0, versionLength)

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
