import type { Sql } from 'postgres'
import { createStatement } from '../../../lib/db/statement.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { listColumns, type Source } from '../../../lib/table/source.ts'
import { createFinding, type Finding } from './finding.ts'
import { joinsText } from './lint-sorts.ts'

/** Sorts and filters by values that differ from what their table says of them. */
export async function lintSources(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  return [...(await lintComputed(sql, table)), ...(await lintCollations(sql, table))]
}

/** Types that have no order, or whose values a cursor cannot hold. */
const unsortable = /^(jsonb?|bytea|xml|record|point|line|lseg|box|path|polygon|circle)(\[\])?$/

const typesByFilter: Readonly<Record<string, RegExp>> = {
  number: /^(smallint|integer|bigint|numeric|real|double precision)$/,
  date: /^(date|timestamp with(out)? time zone)$/,
  boolean: /^boolean$/,
}

async function lintComputed(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const source of table.sources.values()) {
    if (source.kind !== 'unknown') continue
    const filters = [...table.filters.values()].filter((filter) => filter.source === source)
    const isSorted = table.sortables.has(source.key) || table.defaultSort.source === source
    if (filters.length === 0 && !isSorted) continue
    const type = await readType(sql, table, source)
    const report = (text: string, fix: string) =>
      findings.push(createFinding(table, 'computed-type', source.key, { text, fix }))
    const cast = `a cast in the expression, or ->> instead of -> where it reads JSON`
    if (isSorted && unsortable.test(type)) report(`the computed ${source.key} is ${type}, which has no pages`, cast)
    for (const { name, type: filter } of filters)
      if (typesByFilter[filter]?.test(type) === false)
        report(`the ${filter} filter ${name} compares ${type}`, `${cast}; or another type of filter`)
  }
  return findings
}

async function readType(sql: Sql, table: CompiledTable, source: Source): Promise<string> {
  const statement = createStatement()
  const text = `select ${source.expression(statement)} as x from ${table.text}${joinsText(source)} where false`
  const typed = `select pg_typeof(x)::text as type from (${text} union all select null) one`
  const [row] = await sql.unsafe(typed, [...statement.parameters])
  return String(row?.['type'])
}

/** Postgres has no ILIKE for texts that a collation takes for equal although they differ. */
async function lintCollations(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const matched = [...table.filters.values()].filter(
    ({ source: { kind, join }, operators, folds }) =>
      kind === 'text' && join === undefined && !folds && operators.some((operator) => /like|with/.test(operator)),
  )
  const columns = listColumns(table.definition.from)
  const names = matched.flatMap(({ source }) => columns[source.key]?.name ?? [])
  const rows = await sql<{ name: string; collation: string }[]>`
    select attname as name, collname as collation from pg_attribute join pg_collation c on c.oid = attcollation
    where attrelid = to_regclass(${table.text}) and attname = any(${names}) and not collisdeterministic`
  return rows.map(({ name, collation }) =>
    createFinding(table, 'collation', name, {
      text: `a filter looks for a part of ${name}, which Postgres cannot under the nondeterministic collation "${collation}"`,
      fix: `fold: true, or operators: ['=', 'in'] of the filter`,
    }),
  )
}
