import type { Sql } from 'postgres'
import { createStatement } from '../../../lib/db/statement.ts'
import { readOperand } from '../../../lib/query/filter-condition.ts'
import { readFolded } from '../../../lib/query/folded-filter.ts'
import type { CompiledFilter, CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { Source } from '../../../lib/table/source.ts'
import type { Operator } from '../../../lib/wire/vocabulary.ts'
import { explainStatement } from './explain-statement.ts'
import { createFinding, type Finding } from './finding.ts'
import { joinsText } from './lint-sorts.ts'

/**
 * Filters for which Postgres would have to read all rows. Those of few values are not judged: an index is no help
 * there.
 */
export async function lintFilters(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const filter of table.filters.values()) {
    if (filter.pair?.isFrom === false || hasFewValues(filter)) continue
    const unserved: Operator[] = []
    for (const operator of new Set(filter.operators.flatMap((one) => findSelective(one) ?? [])))
      if (!(await isServed(sql, table, filter, operator))) unserved.push(operator)
    if (unserved.length === 0) continue
    const name = filter.pair?.group ?? filter.name
    const text = `the filter ${name} reads all rows with ${unserved.map((one) => `"${one}"`).join(', ')}: no index serves it`
    findings.push(createFinding(table, 'filter-index', name, { text, fix: suggestIndex(table, filter, unserved) }))
  }
  return findings
}

/** The others keep most rows, which no index makes cheap. */
const selective = ['=', '<', '<=', '>', '>=', 'like', 'in', 'between'] as const

type SelectiveOperator = (typeof selective)[number]

const likeness: Readonly<Partial<Record<Operator, SelectiveOperator>>> = {
  'starts with': 'like',
  'ends with': 'like',
  within: 'between',
}

/** Returns the selective operator that needs the same index, if there is one. */
const findSelective = (operator: Operator): SelectiveOperator | undefined =>
  selective.find((one) => one === (likeness[operator] ?? operator))

const hasFewValues = ({ type, source }: CompiledFilter): boolean =>
  type === 'boolean' ||
  type === 'null' ||
  source.kind === 'boolean' ||
  source.kind === 'enum' ||
  (source.declaredValues?.length ?? 0) > 0

async function isServed(
  sql: Sql,
  table: CompiledTable,
  filter: CompiledFilter,
  operator: SelectiveOperator,
): Promise<boolean> {
  const statement = createStatement()
  const example = createExample(filter, operator)
  const { conditions } =
    filter.folds && operator !== 'between'
      ? readFolded(filter, operator, example)
      : readOperand(filter, operator, example, 'UTC')
  const where = conditions.map((condition) => condition(statement)).join(' and ')
  const text = `select from ${table.text}${joinsText(filter.source)} where ${where}`
  const nodes = await explainStatement(sql, text, statement, ['enable_seqscan'])
  if (filter.folds) return nodes.some(({ 'Index Cond': condition = '' }) => condition.includes('fold_text('))
  const own = filter.source.expression(createStatement()).split('.').at(-1)?.replaceAll('"', '') ?? ''
  return nodes.some(({ 'Index Cond': condition = '' }) => condition.includes(own))
}

function createExample({ type, source, allowed }: CompiledFilter, operator: Operator): unknown {
  const [first = ''] = allowed ?? []
  const one = type !== 'text' && allowed !== undefined ? first : plainValue(type, source)
  if (operator === 'between') return type === 'date' ? { from: one, to: one } : [one, one]
  return operator === 'in' ? [one] : one
}

function plainValue(type: CompiledFilter['type'], { kind }: Source): unknown {
  if (type === 'date') return '2026-01-31'
  if (type === 'number' || kind === 'integer' || kind === 'decimal') return 7
  return kind === 'uuid' ? '00000000-0000-4000-8000-000000000000' : 'example'
}

function suggestIndex(table: CompiledTable, { source, folds }: CompiledFilter, unserved: readonly Operator[]): string {
  const owner = source.join === undefined ? 't' : source.join.alias
  const attribute = source.key.split('__').at(-1) ?? source.key
  if (source.kind === 'unknown') return `an index over the same expression, or a column of its own for ${source.key}`
  if (folds)
    return `searchIndex('…', ${owner}.${attribute}) of tables/schema/search-index.ts in the schema file of its table, and a migration for it`
  const fixes = [
    unserved.some((operator) => operator !== 'like') &&
      `index().on(${owner}.${attribute}${source.join === undefined ? `, t.${table.key.key}` : ''})`,
    unserved.includes('like') && `index().using('gin', ${owner}.${attribute}.op('gin_trgm_ops'))`,
  ].filter((fix) => fix !== false)
  const place = source.join === undefined ? 'in its schema file' : `in the schema file of ${source.join.alias}`
  const extension = `, after a migration with "create extension if not exists pg_trgm"; or operators without like for the filter`
  return `${fixes.join(' and ')} ${place}${unserved.includes('like') ? extension : ''}`
}
