import type { Sql } from 'postgres'
import { createStatement } from '../../../lib/db/statement.ts'
import { orderText } from '../../../lib/query/order.ts'
import { whereText } from '../../../lib/query/page-statement.ts'
import { collationName, compileSort } from '../../../lib/table/compile-sort.ts'
import type { CompiledSort, CompiledTable } from '../../../lib/table/compiled-table.ts'
import { isUnique, type Join, type Source } from '../../../lib/table/source.ts'
import { explainStatement } from './explain-statement.ts'
import { createFinding, type Finding } from './finding.ts'
import { findClaimedSources } from './lint-scope.ts'

/** Sorts for which Postgres would have to sort all rows before it can give the first page. */
export async function lintSorts(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const missing = await missingCollations(sql, table)
  // Postgres cannot plan what it has no collation for.
  if (missing.length > 0) return missing
  const findings: Finding[] = []
  const { source, direction } = table.defaultSort
  const served = await explainSort(sql, table, { source, direction })
  const fix = suggestIndex(table, source, [direction])
  if (served === 'sorting') {
    const text = `a page without sorts is sorted by ${source.key} ${direction}, and no index has that order`
    findings.push(createFinding(table, 'default-sort-index', source.key, { text, fix }))
  }
  if (served === 'scopes') {
    const text = `a page without sorts ${readsScopes(table)}`
    findings.push(createFinding(table, 'default-sort-index', source.key, { level: 'warning', text, fix }))
  }
  for (const key of table.sortables) {
    const sortable = table.sources.get(key)
    if (sortable === undefined) continue
    const directions = (['asc', 'desc'] as const).filter((one) => !(key === source.key && one === direction))
    findings.push(...(await lintSortable(sql, table, sortable, directions)))
  }
  return findings
}

/** Reports the collations of columns that the database does not have. */
async function missingCollations(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [key, { collation }] of Object.entries(table.definition.columns)) {
    if (collation === undefined) continue
    const name = collationName(collation)
    const found = await sql`select from pg_collation where collname = ${name} and pg_collation_is_visible(oid)`
    if (found.length > 0) continue
    const text = `the column ${key} is sorted by the collation "${name}", which the database does not have`
    const fix =
      collation === 'natural'
        ? `a migration with: create collation "natural" (provider = icu, locale = 'und-u-kn-true')`
        : 'a locale that `select collname from pg_collation` lists'
    findings.push(createFinding(table, 'collation', key, { text, fix }))
  }
  return findings
}

type Direction = CompiledSort['direction']

async function lintSortable(
  sql: Sql,
  table: CompiledTable,
  source: Source,
  directions: readonly Direction[],
): Promise<readonly Finding[]> {
  const states = new Map<Direction, SortMeans>()
  for (const direction of directions) states.set(direction, await explainSort(sql, table, { source, direction }))
  const unserved = directions.filter((direction) => states.get(direction) === 'sorting')
  if (unserved.length > 0) {
    const text = `sorting by ${source.key} ${unserved.join(' and ')} sorts all rows for each page: no index has that order`
    return [createFinding(table, 'sort-index', source.key, { text, fix: suggestIndex(table, source, unserved) })]
  }
  const scoped = directions.filter((direction) => states.get(direction) === 'scopes')
  if (scoped.length > 0) {
    const text = `sorting by ${source.key} ${readsScopes(table)}`
    const fix = suggestIndex(table, source, scoped)
    return [createFinding(table, 'sort-index', source.key, { level: 'warning', text, fix })]
  }
  if (![...states.values()].includes('ties') || hasNoTies(table, source)) return []
  const text = `sorting by ${source.key} sorts the rows of equal values for each page: the index does not go on with the key`
  const fix = suggestIndex(table, source, directions.slice(0, 1))
  return [createFinding(table, 'sort-index', source.key, { level: 'warning', text, fix })]
}

const readsScopes = (table: CompiledTable): string =>
  `reads rows of all scopes: no index with that order begins with ${findClaimedSources(table)
    .map(({ key }) => key)
    .join(', ')}`

const hasNoTies = ({ definition }: CompiledTable, { key, join, nullable }: Source): boolean =>
  join === undefined && !nullable && isUnique(definition.from, [key])

/**
 * How Postgres finds the order in a scope: by an index alone, by one whose rows of other scopes it skips, by sorting
 * equal values, or by sorting all rows.
 */
type SortMeans = 'index' | 'scopes' | 'ties' | 'sorting'

async function explainSort(sql: Sql, table: CompiledTable, plain: CompiledSort): Promise<SortMeans> {
  const sort = compileSort(table.definition, plain)
  const statement = createStatement()
  const order = sort.source === table.key ? [sort] : [sort, { source: table.key, direction: sort.direction }]
  const columns = order.map((one) => orderText(one.source.expression(statement), one)).join(', ')
  const claimed = findClaimedSources(table).map(({ expression }) => expression(statement))
  // A value of the type of the column, whatever that is.
  const equal = claimed.map((column) => `${column} = (select ${column} from ${table.text} limit 1)`)
  const text = `select ${table.key.expression(statement)} from ${table.text}${joinsText(sort.source)}${whereText(equal)} order by ${columns} limit 20`
  const nodes = (...avoided: Parameters<typeof explainStatement>[3]) =>
    explainStatement(sql, text, statement, ['enable_seqscan', ...avoided])
  const hasNode = (plan: Awaited<ReturnType<typeof nodes>>, ...kinds: readonly string[]) =>
    plan.some((node) => kinds.includes(node['Node Type']))
  const unsorted = await nodes('enable_sort', 'enable_incremental_sort')
  if (!hasNode(unsorted, 'Sort', 'Incremental Sort')) {
    const conditions = unsorted.map((node) => node['Index Cond'] ?? '').join()
    const names = claimed.map((column) => column.split('.').at(-1)?.replaceAll('"', '') ?? '')
    return names.every((name) => conditions.includes(name)) || sort.source.join !== undefined ? 'index' : 'scopes'
  }
  return hasNode(await nodes('enable_sort'), 'Incremental Sort') ? 'ties' : 'sorting'
}

/** The joins that a source needs, as statements write them. */
export function joinsText({ join }: Source): string {
  const texts: string[] = []
  for (let one: Join | undefined = join; one !== undefined; one = one.parent) texts.unshift(` ${one.text}`)
  return texts.join('')
}

function suggestIndex(
  table: CompiledTable,
  { key, join, kind, nullable }: Source,
  directions: readonly Direction[],
): string {
  if (join !== undefined)
    return 'no index can have it: keep a copy of the value in the table itself, or take it out of sortables'
  if (kind === 'unknown') return `an index over the same expression and the key, or take ${key} out of sortables`
  const idText = table.key.key
  const claimed = findClaimedSources(table)
    .flatMap((own) => (own.key === key ? [] : `t.${own.key}, `))
    .join('')
  if (key === idText) return `index().on(${claimed}t.${idText})`
  const { collation } = table.definition.columns[key] ?? {}
  const collated = collation === undefined ? undefined : `\${t.${key}} collate "${collationName(collation)}"`
  const written = directions.map((direction) => {
    const isLast = direction === 'desc' && nullable
    if (collated !== undefined)
      return `index().on(${claimed}sql\`${collated}${isLast ? ' desc nulls last' : ''}\`, t.${idText}${isLast ? '.desc().nullsFirst()' : ''})`
    return isLast
      ? `index().on(${claimed}t.${key}.desc().nullsLast(), t.${idText}.desc().nullsFirst())`
      : `index().on(${claimed}t.${key}, t.${idText})`
  })
  return `${[...new Set(written)].join(' and ')} in its schema file`
}
