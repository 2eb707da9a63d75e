import type { Sql } from 'postgres'
import { quoteName } from '../../../lib/db/statement.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { createFinding, type Finding } from './finding.ts'

interface Relation {
  readonly kind: string
  readonly is_partition: boolean
}

interface Trigger {
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
    select relkind as kind, relispartition as is_partition from pg_class where oid = to_regclass(${name})`
  if (relation === undefined) return []
  const kind = relation.is_partition ? 'a partition' : kinds[relation.kind]
  if (kind !== undefined) {
    const text = `live: true needs an ordinary table, and ${name} is ${kind}: no trigger tells of all its changes`
    const cure = 'remove live: true; actions of this service are shown without it'
    return [createFinding(table, 'live-trigger', 'live', { text, cure })]
  }
  const triggers = await sql<Trigger[]>`
    select tgenabled in ('O', 'A') as is_on, tgtype & 127 = 60 and tgqual is null and tgattr::text = '' as is_whole, tgargs as names
    from pg_trigger where tgrelid = to_regclass(${name})
      and tgfoid = to_regproc('table_control.record_row_change')`
  const own = triggers.filter(({ names }) => names.toString('utf8').split('\0').includes(table.name))
  if (own.some(({ is_on, is_whole }) => is_on && is_whole)) return []
  const [text, cure] = own.some(({ is_whole }) => is_whole)
    ? ['its trigger is disabled', `alter table ${name} enable trigger …, as its owner`]
    : ['no trigger tells of all its changes', `as its owner, in a migration: ${writeTrigger(table)}`]
  const whole = `live: true shows no writes of other programs: ${text}`
  return [createFinding(table, 'live-trigger', 'live', { text: whole, cure })]
}

/** Returns the statement that makes the trigger of a live table. */
const writeTrigger = ({ name, text }: CompiledTable): string =>
  `create trigger ${quoteName(`live_${name}`)} after insert or update or delete or truncate on ${text} for each statement execute function table_control.record_row_change('${name}')`
