import type { Sql } from 'postgres'
import { nearNames } from '../../lib/table/near-names.ts'

/** A column as the database has it. */
export interface CatalogueColumn {
  readonly name: string
  /** As `format_type` writes it, such as `character varying(20)`. */
  readonly type: string
  readonly notNull: boolean
  /** SQL text. */
  readonly default: string | null
  readonly identity: 'always' | 'by default' | null
  readonly generated: boolean
  /** The values of an enum, or of the entries of a list of them. */
  readonly values: readonly string[] | null
  readonly comment: string | null
}

export interface CatalogueKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly primary: boolean
}

export interface CatalogueReference {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly targets: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

export interface CatalogueIndex {
  readonly name: string
  readonly unique: boolean
  /** The index method, such as `btree` or `gin`. */
  readonly method: string
  /** Each as `pg_get_indexdef` writes it: a column or an expression. */
  readonly parts: readonly CatalogueIndexPart[]
  readonly where: string | null
}

export interface CatalogueIndexPart {
  readonly column: string | null
  readonly expression: string
  readonly descending: boolean
  readonly nullsFirst: boolean
  /** Set if it is not the default of the type. */
  readonly operatorClass: string | null
}

/** A table of the schema `public` as the database describes it. */
export interface CatalogueTable {
  readonly name: string
  readonly comment: string | null
  readonly columns: readonly CatalogueColumn[]
  readonly keys: readonly CatalogueKey[]
  readonly references: readonly CatalogueReference[]
  /** Without those that keys bring along. */
  readonly indexes: readonly CatalogueIndex[]
}

/** Reads a table's description; where there is none of that name, says which names are near. */
export async function readCatalogue(sql: Sql, name: string): Promise<CatalogueTable> {
  const tables = await sql<{ oid: number; name: string; comment: string | null }[]>`
    select c.oid::int, c.relname as name, obj_description(c.oid, 'pg_class') as comment from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 2`
  const table = tables.find((candidate) => candidate.name === name)
  if (table === undefined) {
    await refuseView(sql, name)
    const near = nearNames(
      name,
      tables.map((candidate) => candidate.name),
    )
    const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
    throw new Error(`The database has no table "${name}" in its schema public${hint}`)
  }
  const { oid, comment } = table
  const [columns, keys, references, indexes] = await Promise.all([
    readColumns(sql, oid),
    readKeys(sql, oid),
    readReferences(sql, oid),
    readIndexes(sql, oid),
  ])
  return { name, comment, columns, keys, references, indexes }
}

async function refuseView(sql: Sql, name: string): Promise<void> {
  const [view] = await sql`
    select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm') and relname = ${name}`
  if (view !== undefined)
    throw new Error(
      `"${name}" is a view: views are not supported, because they have no key; name the table that it reads`,
    )
}

/**
 * SQL for whether the database keeps NULLs out of a column `a`. A constraint that is not valid has not looked at the
 * older rows.
 */
export const neverNull = (sql: Sql) => sql`(a.attnotnull and not exists (
  select from pg_constraint n where n.conrelid = a.attrelid and n.contype = 'n' and n.conkey = array[a.attnum] and not n.convalidated))`

const readColumns = (sql: Sql, oid: number) => sql<CatalogueColumn[]>`
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, ${neverNull(sql)} as "notNull",
    pg_get_expr(d.adbin, d.adrelid) as default, a.attgenerated <> '' as generated,
    case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity,
    (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e
      join pg_type t on t.oid = a.atttypid where e.enumtypid in (t.oid, t.typelem)) as values,
    col_description(a.attrelid, a.attnum) as comment
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped order by a.attnum`

const readKeys = (sql: Sql, oid: number) => sql<CatalogueKey[]>`
  select c.conname as name, i.indisprimary as primary, array(
    select a.attname::text from unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where k.place <= i.indnkeyatts order by k.place
  ) as columns
  from pg_index i join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
  where i.indrelid = ${oid} and c.conrelid = ${oid}
  order by i.indisprimary desc, i.indexrelid`

const readReferences = (sql: Sql, oid: number) => {
  const action = (column: string) => sql`case ${sql(column)} when 'c' then 'cascade' when 'n' then 'set null'
    when 'd' then 'set default' when 'r' then 'restrict' else 'no action' end`
  const names = (table: string, numbers: string) => sql`array(select a.attname::text
    from unnest(${sql(numbers)}) with ordinality as k(attnum, place)
    join pg_attribute a on a.attrelid = ${sql(table)} and a.attnum = k.attnum order by k.place)`
  return sql<CatalogueReference[]>`
    select c.conname as name, t.relname as table, ${action('c.confdeltype')} as "onDelete", ${action('c.confupdtype')} as "onUpdate",
      ${names('c.conrelid', 'c.conkey')} as columns, ${names('c.confrelid', 'c.confkey')} as targets
    from pg_constraint c join pg_class t on t.oid = c.confrelid
    where c.conrelid = ${oid} and c.contype = 'f' and c.conparentid = 0 and t.relnamespace = 'public'::regnamespace
    order by c.conname`
}

const readIndexes = (sql: Sql, oid: number) => sql<CatalogueIndex[]>`
  select n.relname as name, i.indisunique as unique, m.amname as method, pg_get_expr(i.indpred, i.indrelid) as where,
    (select jsonb_agg(jsonb_build_object(
        'column', (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[k - 1] and attnum > 0),
        'expression', pg_get_indexdef(i.indexrelid, k, true),
        'descending', i.indoption[k - 1]::int & 1 = 1, 'nullsFirst', i.indoption[k - 1]::int & 2 = 2,
        'operatorClass', (select opcname from pg_opclass where oid = i.indclass[k - 1] and not opcdefault)
      ) order by k) from generate_series(1, i.indnkeyatts::int) as k) as parts
  from pg_index i join pg_class n on n.oid = i.indexrelid join pg_am m on m.oid = n.relam
  where i.indrelid = ${oid} and i.indisvalid
    and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = i.indrelid)
  order by n.relname`
