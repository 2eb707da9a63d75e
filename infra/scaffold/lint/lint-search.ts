import type { Sql } from 'postgres'
import { createStatement } from '../../../lib/db/statement.ts'
import { findTerm } from '../../../lib/query/search-condition.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { Source } from '../../../lib/table/source.ts'
import { explainStatement } from './explain-statement.ts'
import { createFinding, type Finding } from './finding.ts'

/** Searchable columns that no index serves, and a database whose trigrams know no Arabic. */
export async function lintSearch(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const sources = table.columns.flatMap(({ definition, source }) =>
    definition.search === true && source !== undefined ? source : [],
  )
  if (sources.length === 0) return []
  const [extension] = await sql`select from pg_extension where extname = 'pg_trgm'`
  if (extension === undefined) {
    const text = `a search reads all rows: the database has no extension pg_trgm (${sources.map(({ key }) => key).join(', ')})`
    const fix = 'create extension pg_trgm, as a role that may, and then the indexes of tables/schema'
    return [createFinding(table, 'search-index', 'search', { level: 'warning', text, fix })]
  }
  const findings = await lintTrigrams(sql, table)
  for (const source of sources) {
    if (await isServed(sql, table, source)) continue
    const text = `a search in ${source.key} reads all rows: no index serves it`
    findings.push(createFinding(table, 'search-index', source.key, { text, fix: suggestIndex(source) }))
  }
  return [...findings, ...(await lintStatistics(sql, table, sources))]
}

/** Without statistics, Postgres expects a folded text in one of 200 rows. They come by `analyze`, not by the index. */
async function lintStatistics(sql: Sql, table: CompiledTable, sources: readonly Source[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const name of new Set(sources.map(({ join }) => join?.table.replace(/ "[^"]+"$/, '') ?? table.text))) {
    // Only its owner sees the statistics of an index.
    const [bare] = await sql`
      select c.relname as index from pg_index join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = c.relnamespace
      where indrelid = to_regclass(${name}) and pg_has_role(c.relowner, 'usage')
        -- Of the index of a partitioned table there are never any.
        and c.relkind = 'i' and pg_get_indexdef(indexrelid) like '%fold_text(%'
        and not exists (select from pg_stats where schemaname = n.nspname and tablename = c.relname)`
    if (bare === undefined || (await sql.unsafe(`select from ${name} limit 1`)).length === 0) continue
    const text = `Postgres cannot tell how many rows a search finds: ${bare['index']} has no statistics yet`
    findings.push(createFinding(table, 'search-index', name, { level: 'warning', text, fix: `analyze ${name}` }))
  }
  return findings
}

async function lintTrigrams(sql: Sql, table: CompiledTable): Promise<Finding[]> {
  const [row] = await sql`select cardinality(show_trgm('مطار')) as count`
  if (Number(row?.['count']) > 0) return []
  const text = 'an index of trigrams finds no word of Arabic: LC_CTYPE does not know its letters'
  const fix = "a database created with lc_ctype 'C.UTF-8', or another one of UTF-8"
  return [createFinding(table, 'locale', 'search', { level: 'warning', text, fix })]
}

async function isServed(sql: Sql, table: CompiledTable, source: Source): Promise<boolean> {
  const statement = createStatement()
  const condition = findTerm({ typed: 'example', folded: 'example', beginsWord: false }, [source])(statement)
  const nodes = await explainStatement(sql, `select from ${table.text} where ${condition}`, statement, [
    'enable_seqscan',
  ])
  const conditions = nodes.map((node) => node['Index Cond'] ?? '')
  const isFolded = conditions.some((one) => one.includes('fold_text('))
  const locals = source.join?.pairs.map(([, local]) => local.split('.').at(-1)?.replaceAll('"', '') ?? '') ?? []
  return isFolded && locals.every((local) => conditions.some((one) => one.includes(local)))
}

function suggestIndex({ key, join, kind }: Source): string {
  if (kind === 'unknown') return `a gin index of trigrams over table_control.fold_text of the expression of ${key}`
  const attribute = key.split('__').at(-1) ?? key
  const own = `searchIndex('…', t.${attribute}) of tables/schema/search-index.ts in its schema file, and a migration for it`
  return join === undefined ? own : `${own}, and an index on what refers to ${join.alias}`
}
