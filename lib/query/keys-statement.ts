import { createStatement, quoteName, type Statement } from '../db/statement.ts'
import { fitsKey } from '../rows/key-text.ts'
import { versionSource } from '../rows/row-version.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import { type Condition, isInList, keyInList, sourceText } from './compare.ts'
import { orderText } from './order.ts'
import {
  fieldText,
  joinText,
  type Query,
  rememberText,
  scopeText,
  searchedKeys,
  sortColumns,
  whereText,
} from './page-statement.ts'
import type { Plan } from './plan.ts'

/** Selects the rows with these keys. One that was kept before keys changed their type is that of no row. */
const hasKeyIn = (key: Source, keys: readonly string[]): Condition =>
  keyInList(
    key,
    keys.filter((text) => fitsKey(key, text)),
  )

/**
 * The rows with these keys that are inside the scope, as the view's row selection has them, then their versions if they
 * are asked for.
 */
export function actionRowsStatement(
  opened: OpenedTable,
  keys: readonly string[],
  lock: boolean,
  withVersions: boolean,
): Query {
  const statement = createStatement()
  const {
    view,
    context: { timeZone },
  } = opened
  const { table, rowSelection } = view
  const where = whereText([...scopeText(statement, opened), hasKeyIn(table.key, keys)(statement)])
  const text = rememberText(
    view,
    statement,
    `action ${lock}${withVersions ? ' versions' : ''}\u0000${timeZone}${where}`,
    () => {
      const own = rowSelection.fields.map((field) => fieldText(statement, field, timeZone))
      const fields = [...own, ...(withVersions ? [versionSource(table).expression(statement)] : [])].join(', ')
      const joins = joinText(rowSelection.fields.map(({ source }) => source))
      // Two runs over the same rows lock them in one order, so that neither waits for the other for ever.
      const order = lock ? ` order by ${table.key.expression(statement)} for update of ${table.lockName}` : ''
      return `select ${fields} from ${table.text}${joins}${where}${order}`
    },
  )
  return { text, parameters: statement.parameters }
}

/** Locks the rows with these keys that are inside the scope, in the order of their keys, and counts them. */
export function lockStatement(opened: OpenedTable, keys: readonly string[]): Query {
  const statement = createStatement()
  const { table } = opened.view
  const where = whereText([...scopeText(statement, opened), hasKeyIn(table.key, keys)(statement)])
  const order = `order by ${table.key.expression(statement)} for update of ${table.lockName}`
  const text = `select count(*)::int from (select from ${table.text}${where} ${order}) locked`
  return { text, parameters: statement.parameters }
}

/**
 * Locks rows by their keys alone, in their order: whether each is inside the scope, its version, and attributes as
 * texts. Only for rows that their caller has changed before, of which nothing is shown while they are outside. Rows
 * that others have locked are absent: whether there is a row outside, nobody may learn from waiting. Lock those inside
 * the scope before, by `lockStatement`.
 */
export function changedRowsStatement(
  opened: OpenedTable,
  keys: readonly string[],
  attributes: readonly string[],
  hasVersions: boolean,
): Query {
  const statement = createStatement()
  const { table } = opened.view
  const key = table.key.expression(statement)
  const fields = [
    sourceText(table.key, statement),
    `coalesce(${scopeText(statement, opened).join(' and ') || 'true'}, false)`,
    hasVersions ? versionSource(table).expression(statement) : 'null',
    ...attributes.map((name) => `${table.text}.${quoteName(name)}::text`),
  ]
  const where = whereText([hasKeyIn(table.key, keys)(statement)])
  const text = `select ${fields.join(', ')} from ${table.text}${where} order by ${key} for update of ${table.lockName} skip locked`
  return { text, parameters: statement.parameters }
}

/** The keys of the rows with these keys that are inside the scope, with their versions where rows have any. */
export function versionsStatement(opened: OpenedTable, keys: readonly string[], hasVersions: boolean): Query {
  const statement = createStatement()
  const { table } = opened.view
  const where = whereText([...scopeText(statement, opened), hasKeyIn(table.key, keys)(statement)])
  const key = sourceText(table.key, statement)
  const version = hasVersions ? `, ${versionSource(table).expression(statement)}` : ''
  return { text: `select ${key}${version} from ${table.text}${where}`, parameters: statement.parameters }
}

/** Selects at most `limit` keys of the planned rows in their order, with their versions if `withVersions` is true. */
export function keysStatement(opened: OpenedTable, plan: Plan, limit: number, withVersions = false): Query {
  const statement = createStatement()
  const keys = keysText(statement, opened, plan, withVersions)
  return { text: `${keys} limit ${limit}`, parameters: statement.parameters }
}

/**
 * `select <key> as k …` over the planned rows, in their order, with their versions as `v` if they are asked for;
 * columns behind mean nothing. Its parameters join those of the statement.
 */
export function keysText(statement: Statement, opened: OpenedTable, plan: Plan, withVersions = false): string {
  const { table } = opened.view
  const conditions = [...scopeText(statement, opened), ...plan.conditions.map((condition) => condition(statement))]
  const joins = joinText([...plan.filtered, ...plan.order.map(({ source }) => source)])
  const order = plan.order.map((sort) => orderText(sort.source.expression(statement), sort)).join(', ')
  const version = withVersions ? `, ${versionSource(table).expression(statement)} as v` : ''
  const key = `${table.key.expression(statement)} as k${version}`
  const rows = `from ${table.text}${joins}${whereText(conditions)}`
  if (plan.search === undefined) return `select ${key} ${rows} order by ${order}`
  return searchedKeys(`select ${[key, ...sortColumns(statement, plan)].join(', ')} ${rows}`, plan)
}

/** Restricts a plan to the rows with these keys. */
export const onlyKeys = (view: TableView, plan: Plan, keys: readonly string[]): Plan => {
  const condition: Condition = hasKeyIn(view.table.key, keys)
  return { ...plan, conditions: [...plan.conditions, condition] }
}

/** Leaves the rows with these keys out of a plan. */
export const withoutKeys = (view: TableView, plan: Plan, keys: readonly string[]): Plan => ({
  ...plan,
  conditions: [...plan.conditions, isInList(view.table.key, keys, true, false)],
})
