import type { PgTable } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { listColumns, tableText } from '../../../lib/table/source.ts'
import type { Relations } from '../../../lib/table/sources.ts'
import { shortTypeName } from '../../../lib/table/value-kind.ts'
import { neverNull } from '../read-catalogue.ts'
import { createFinding, type Finding, type LintedTable } from './finding.ts'

/** Finds columns that the database lacks or has otherwise, and keys and relations that it does not keep unique. */
export async function lintDatabase(sql: Sql, table: CompiledTable): Promise<LintedTable> {
  const { from, key, relations = {} } = table.definition
  const columns = await readColumns(sql, table, from, '')
  const missing = missingColumns(table, from, columns, '')
  if (missing.length > 0) return { findings: missing, complete: false }
  const types = otherTypes(table, columns, '')
  const unique = await isUniqueInDatabase(sql, from, [key])
  const keyFinding = createFinding(table, 'in-database', key, {
    text: `the database does not keep the key ${key} unique`,
    fix: columns.some(({ is_view }) => is_view)
      ? 'if its query keeps the key of this view unique, write that into tables/lint-ignored.ts'
      : 'a primary key or a unique index on it; npm run db:generate and npm start apply what the schema file says',
  })
  const related = await lintRelations(sql, table, relations, '')
  return {
    findings: [...types, ...(unique ? [] : [keyFinding]), ...lintNulls(table, columns), ...related],
    complete: types.length === 0 && !related.some(({ rule }) => rule === 'in-database'),
  }
}

/**
 * Finds columns that may be null, though the schema file says that they are not. Sorts by one read last pages twice.
 */
const lintNulls = (table: CompiledTable, columns: readonly DatabaseColumn[]): readonly Finding[] =>
  columns
    .filter(
      ({ attribute, declared_not_null, never_null, is_view }) =>
        // No view says of its key that it is never null.
        declared_not_null && !never_null && !(is_view && attribute === table.definition.key),
    )
    .map(({ attribute, is_view }) =>
      createFinding(table, 'not-null', attribute, {
        text: `the schema file says that ${attribute} is never null, and the database does not keep it so: the last pages of a sort by it are read twice, and cannot have missing values first`,
        fix: is_view
          ? 'remove .notNull(): a column of a view may always be null'
          : 'remove .notNull(), or set it not null in the database; a constraint that is "not valid" needs "validate constraint"',
      }),
    )

async function lintRelations(
  sql: Sql,
  table: CompiledTable,
  relations: Relations,
  path: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [name, relation] of Object.entries(relations)) {
    const here = `${path}${name}`
    const columns = await readColumns(sql, table, relation.table, `${here}__`)
    const missing = missingColumns(table, relation.table, columns, here)
    const targets = Object.values(relation.on)
    findings.push(...(missing.length > 0 ? missing : otherTypes(table, columns, `${here}__`)))
    if (missing.length === 0 && !(await isUniqueInDatabase(sql, relation.table, targets))) {
      const text = `the relation ${here} can multiply rows: the database does not keep ${targets.join(', ')} of ${tableText(relation.table)} unique`
      findings.push(createFinding(table, 'relation', here, { text, fix: 'a unique index on it, not a partial one' }))
    }
    findings.push(...(await lintRelations(sql, table, relation.relations ?? {}, `${here}__`)))
  }
  return findings
}

/** A column of a schema file, as the database has it. */
interface DatabaseColumn {
  readonly attribute: string
  readonly name: string
  readonly declared_type: string | null
  readonly declared_not_null: boolean
  /** Null where there is no such column; of a domain the type below it. */
  readonly type: string | null
  readonly has_declared_type: boolean
  readonly never_null: boolean
  readonly has_table: boolean
  readonly is_view: boolean
}

const readColumns = (sql: Sql, { sources }: CompiledTable, of: PgTable, path: string) => {
  const columns = Object.entries(listColumns(of)).map(([attribute, { name, notNull }]) => ({
    attribute,
    name,
    declared_type: sources.get(path + attribute)?.sqlType ?? null,
    declared_not_null: notNull,
  }))
  return sql<DatabaseColumn[]>`
    select d.*, format_type(base.oid, a.atttypmod) as type, ${neverNull(sql)} as never_null, c.oid is not null as has_table,
      to_regtype(d.declared_type) = base.oid as has_declared_type, c.relkind in ('v', 'm') as is_view
    from jsonb_to_recordset(${sql.json(columns)}) as d(attribute text, name text, declared_type text, declared_not_null boolean)
    left join pg_class c on c.oid = to_regclass(${tableText(of)})
    left join pg_attribute a on a.attrelid = c.oid and a.attname = d.name and a.attnum > 0 and not a.attisdropped
    left join pg_type t on t.oid = a.atttypid
    left join pg_type base on base.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
    order by a.attnum, d.name`
}

function missingColumns(
  table: CompiledTable,
  of: PgTable,
  columns: readonly DatabaseColumn[],
  relation: string,
): readonly Finding[] {
  const lacking = columns.filter(({ type }) => type === null)
  if (lacking.length === 0) return []
  const what = lacking.some(({ has_table }) => has_table)
    ? `no ${lacking.map(({ name }) => name).join(', ')} in ${tableText(of)}`
    : `no table ${tableText(of)}`
  const fix = 'npm run db:generate, then npm start (or a deployment) applies the migration'
  return [createFinding(table, 'in-database', relation || 'from', { text: `the database has ${what}`, fix })]
}

/** Finds columns of another type than the schema file says: filters and edits send values of that type. */
const otherTypes = (table: CompiledTable, columns: readonly DatabaseColumn[], path: string): readonly Finding[] =>
  columns.flatMap(({ attribute, declared_type: declared, type, has_declared_type }) => {
    if (declared === null || type === null || has_declared_type || anyText(declared) === anyText(type)) return []
    const text = `the schema file says that ${path}${attribute} is ${declared}, and the database has ${type}`
    const fix = 'the type of the database in the schema file, or a migration that changes the column'
    return [createFinding(table, 'in-database', path + attribute, { text, fix })]
  })

/** Postgres compares texts with and without a limit alike. make:table declares `"char"` without its quotes. */
const anyText = (type: string): string =>
  shortTypeName(type)
    .replace(/^varchar(\(\d+\))?/, 'text')
    .replaceAll('"', '')

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
