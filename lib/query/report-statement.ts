import { createStatement, type Statement } from '../db/statement.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { Source } from '../table/source.ts'
import { orderText } from './order.ts'
import { joinText, type Query, scopeText, whereText } from './page-statement.ts'
import type { Plan } from './plan.ts'

/** One value that a report reads for each row, written by the server as the report wants it. */
export interface ReportField {
  readonly source: Source
  readonly text: (statement: Statement) => string
}

/**
 * Every planned row inside the scope, in the plan's order. As `record` each row is one text, in which Postgres has
 * quoted the values as it does for composite types: one value is cheaper to receive than many.
 */
export function reportStatement(
  opened: OpenedTable,
  plan: Plan,
  fields: readonly ReportField[],
  shape: 'values' | 'record',
): Query {
  const statement = createStatement()
  const values = fields.map(({ text }) => text(statement)).join(', ')
  const conditions = [...scopeText(statement, opened), ...plan.conditions.map((condition) => condition(statement))]
  const used = [...plan.filtered, ...plan.order.map(({ source }) => source), ...fields.map(({ source }) => source)]
  const order = plan.order.map((sort) => orderText(sort.source.expression(statement), sort)).join(', ')
  const text =
    `select ${shape === 'record' ? `row(${values})::text` : values} ` +
    `from ${opened.view.table.text}${joinText(used)}${whereText(conditions)} order by ${order}`
  return { text, parameters: statement.parameters }
}
