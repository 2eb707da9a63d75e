import type { Database } from '../db/database.ts'
import { bind, createStatement } from '../db/statement.ts'
import { escapeLike, sourceText } from '../query/compare.ts'
import { joinText, scopeText, whereText } from '../query/page-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { SearchTerm } from '../query/plan-extensions.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import type { Option } from '../table/context.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { Source } from '../table/source.ts'

/** An option of a select, and how many of the selected rows have it. */
export interface CountedOption extends Option {
  readonly count: number
}

/** The options that a client asks for; each term must occur in the value or the label. */
export interface AskedOptions {
  readonly filter: CompiledFilter & { readonly optionLabel: Source }
  readonly terms: readonly SearchTerm[]
  readonly offset: number
  readonly limit: number
}

/**
 * Reads the values that the rows of the plan have, by their labels, and one beyond `limit` where more follow. Values are grouped before they
 * are folded: they are far fewer than rows.
 */
export async function readOptions(
  database: Pick<Database, 'read'>,
  opened: OpenedTable,
  plan: Plan,
  { filter, terms, offset, limit }: AskedOptions,
): Promise<readonly CountedOption[]> {
  const statement = createStatement()
  const { source, optionLabel } = filter
  const conditions = [
    ...scopeText(statement, opened),
    ...plan.conditions.map((condition) => condition(statement)),
    `${source.expression(statement)} is not null`,
  ]
  const [value, label] = [source, optionLabel].map((one) => `(${sourceText(one, statement)})::text`)
  const rows = `from ${opened.view.table.text}${joinText([...plan.filtered, source, optionLabel])}${whereText(conditions)}`
  const values = `select ${value} as v, coalesce(${label}, ${value}) as l, count(*)::text as n ${rows} group by 1, 2`
  const matches = terms.map((term) => {
    const pattern = bind(statement, `%${escapeLike(term.folded)}%`)
    return `(table_control.fold_text(v) like ${pattern} or table_control.fold_text(l) like ${pattern})`
  })
  const page = `limit ${bind(statement, limit + 1)} offset ${bind(statement, offset)}`
  const found = await database.read(
    `select v, l, n from (${values}) o${whereText(matches)} order by l, v ${page}`,
    statement.parameters,
  )
  return found.map(([own, text, count]) => ({ value: String(own), label: String(text), count: Number(count) }))
}
