import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { Join } from '../../../lib/table/source.ts'
import type { ContractSort } from './contract-queries.ts'

/**
 * Says what an author does about a source of whose values a response says something else; `undefined` where no source
 * is to blame.
 */
function adviseOn({ sources, definition }: CompiledTable, key: string): string | undefined {
  const join = sources.get(key)?.join
  if (Object.hasOwn(definition.computed ?? {}, key))
    return `give "${key}" in \`computed\` an expression with one value for each row, the same for every caller at any time`
  if (join === undefined) return undefined
  return `give ${relatedColumns(join)} a unique index, because the relation of "${key}" must find one row at most`
}

const relatedColumns = ({ table, pairs }: Join): string => {
  const columns = pairs.map(([related]) => related.split('.').at(-1)).join(', ')
  return `${columns} of ${table.split(' ')[0]}`.replaceAll('"', '')
}

/** The advice on sources and sorts that a response disagrees with, each once. */
export function adviseOnAll(
  table: CompiledTable,
  keys: readonly string[],
  sorts: readonly ContractSort[] = [],
): string {
  const all = [...keys.map((key) => adviseOn(table, key)), ...sorts.map(({ field }) => adviseOnSort(table, field))]
  const advice = [...new Set(all)].filter((one) => one !== undefined)
  return advice.join('; ') || 'compare `scope` with `sees` of this caller, which must tell the same rows'
}

function adviseOnSort(table: CompiledTable, key: string): string | undefined {
  const { collation } = table.definition.columns[key] ?? {}
  if (collation === undefined) return adviseOn(table, key)
  return `create the collation "${collation}" of "${key}" as tables/README.md says, or take it off the column`
}
