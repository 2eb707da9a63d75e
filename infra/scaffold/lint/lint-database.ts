import type { PgTable } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { listColumns, tableText } from '../../../lib/table/source.ts'
import type { Relations } from '../../../lib/table/sources.ts'
import { createFinding, type Finding } from './finding.ts'

/** Finds columns that the database lacks, and keys and relations that it does not keep unique. */
export async function lintDatabase(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const { from, key, relations = {} } = table.definition
  const missing = await missingColumns(sql, table, from, '')
  if (missing.length > 0) return missing
  const unique = await isUniqueInDatabase(sql, from, [key])
  const keyFinding = createFinding(table, 'in-database', key, {
    text: `the database does not keep the key ${key} unique`,
    fix: 'a primary key or a unique index on it; npm run db:generate and npm start apply what the schema file says',
  })
  return [...(unique ? [] : [keyFinding]), ...(await lintRelations(sql, table, relations, ''))]
}

async function lintRelations(
  sql: Sql,
  table: CompiledTable,
  relations: Relations,
  path: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [name, relation] of Object.entries(relations)) {
    const here = `${path}${name}`
    const missing = await missingColumns(sql, table, relation.table, here)
    const targets = Object.values(relation.on)
    findings.push(...missing)
    if (missing.length === 0 && !(await isUniqueInDatabase(sql, relation.table, targets))) {
      const text = `the relation ${here} can multiply rows: the database does not keep ${targets.join(', ')} of ${tableText(relation.table)} unique`
      findings.push(createFinding(table, 'relation', here, { text, fix: 'a unique index on it, not a partial one' }))
    }
    findings.push(...(await lintRelations(sql, table, relation.relations ?? {}, `${here}__`)))
  }
  return findings
}

async function missingColumns(
  sql: Sql,
  table: CompiledTable,
  of: PgTable,
  relation: string,
): Promise<readonly Finding[]> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute where attrelid = to_regclass(${tableText(of)}) and attnum > 0 and not attisdropped`
  const present = new Set(rows.map(({ name }) => name))
  const lacking = Object.values(listColumns(of)).filter(({ name }) => !present.has(name))
  if (lacking.length === 0) return []
  const what =
    present.size === 0
      ? `no table ${tableText(of)}`
      : `no ${lacking.map(({ name }) => name).join(', ')} in ${tableText(of)}`
  const fix = 'npm run db:generate, then npm start (or a deployment) applies the migration'
  return [createFinding(table, 'in-database', relation || 'from', { text: `the database has ${what}`, fix })]
}

async function isUniqueInDatabase(sql: Sql, table: PgTable, attributes: readonly string[]): Promise<boolean> {
  const columns = listColumns(table)
  const names = attributes.flatMap((attribute) => columns[attribute]?.name ?? [])
  const [found] = await sql`
    select from pg_index i where i.indrelid = to_regclass(${tableText(table)}) and i.indisunique and i.indisvalid
      and i.indpred is null and i.indexprs is null and array(
        select a.attname::text from unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where k.place <= i.indnkeyatts
      ) <@ ${names}::text[] limit 1`
  return found !== undefined
}
