import type { Sql } from 'postgres'
import { quoteName } from '../../../lib/db/statement.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { LoadedRegistry } from '../../../lib/table/registry.ts'
import { createFinding, type Finding } from './finding.ts'

interface Relation {
  readonly kind: string
  readonly is_partition: boolean
  /** True if it is a parent or a child by INHERITS, or a partition. */
  readonly inherits: boolean
}

interface Trigger {
  readonly name: string
  readonly is_on: boolean
  /** True if it runs after each statement that inserts, deletes, updates or truncates. */
  readonly is_whole: boolean
  /** The names that it records, each with a zero byte behind it. */
  readonly names: Buffer
}

const kinds: Readonly<Record<string, string>> = {
  v: 'a view',
  m: 'a materialized view',
  p: 'a partitioned table',
  f: 'a foreign table',
}

/** A table that is `live` without a trigger that tells of the writes of other programs, or one that cannot have it. */
export async function lintLive(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const name = table.text
  if (table.definition.live !== true) return []
  const [relation] = await sql<Relation[]>`
    select relkind as kind, relispartition as is_partition,
      exists (select from pg_inherits where pg_class.oid in (inhrelid, inhparent)) as inherits
    from pg_class where oid = to_regclass(${name})`
  if (relation === undefined) return []
  const kind = describeKind(relation)
  if (kind !== undefined) {
    const text = `live: true needs an ordinary table, and ${name} is ${kind}: no trigger reports all its changes`
    const fix = 'remove live: true; actions of this service are shown without it'
    return [createFinding(table, 'live-trigger', 'live', { text, fix })]
  }
  const triggers = await sql<Trigger[]>`
    select tgname as name, tgenabled in ('O', 'A') as is_on, tgtype & 127 = 60 and tgqual is null and tgattr::text = '' as is_whole, tgargs as names
    from pg_trigger where tgrelid = to_regclass(${name})
      and tgfoid = to_regproc('table_control.record_row_change')`
  const own = triggers.filter(({ names }) => names.toString('utf8').split('\0').includes(table.name))
  if (own.some(({ is_on, is_whole }) => is_on && is_whole)) return []
  const disabled = own.find(({ is_whole }) => is_whole)
  const [text, fix] = disabled
    ? ['its trigger is disabled', `as its owner: alter table ${name} enable trigger ${quoteName(disabled.name)}`]
    : ['no trigger reports all its changes', `as its owner, in a migration: ${writeTrigger(table)}`]
  const whole = `live: true shows no writes of other programs: ${text}`
  return [createFinding(table, 'live-trigger', 'live', { text: whole, fix })]
}

/** Returns what a relation is that cannot be live; `undefined` for an ordinary table. */
function describeKind({ kind, is_partition, inherits }: Relation): string | undefined {
  if (is_partition) return 'a partition'
  // A statement runs the triggers of the table that it names, not those of its parent or its children.
  return kinds[kind] ?? (inherits ? 'a table with INHERITS' : undefined)
}

/** Returns the statements that make the triggers of the live tables of a registry, by the names of the tables. */
export const writeTriggers = ({ tables }: Pick<LoadedRegistry, 'tables'>): ReadonlyMap<string, string> =>
  new Map(
    [...tables.values()]
      .filter(({ definition }) => definition.live === true)
      .map((table) => [table.name, writeTrigger(table)]),
  )

/** Returns the statement that makes the trigger of a live table. */
const writeTrigger = ({ name, text }: CompiledTable): string =>
  `create trigger ${quoteName(`live_${name}`)} after insert or update or delete or truncate on ${text} for each statement execute function table_control.record_row_change('${name}')`
