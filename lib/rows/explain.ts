import type { Database } from '../db/database.ts'
import { createStatement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { keyInList } from '../query/compare.ts'
import { joinText, scopeText, whereText } from '../query/page-statement.ts'
import { type AskedRows, type Plan, planRows } from '../query/plan.ts'
import { maxFilters, readFilters } from '../query/request-forms.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { readRow } from './asked-row.ts'

/** The rows that a request selects, and those that it would select without each of its restrictions. */
export interface Explanation {
  readonly total: number
  readonly without: readonly { readonly filter: string; readonly total: number }[]
  /** The restriction without which most rows would be selected; null where none excludes a row. */
  readonly most: string | null
}

/** The restrictions that keep a row out; none where the request selects it. */
export interface RowExplanation {
  readonly row_id: string | number
  readonly excluded_by: readonly string[]
}

/** How a request wants its rows explained: in any case, only if there are none, or for one row. */
export type AskedExplanation = true | 'auto' | { readonly rowId: string | number }

/** Reads `explain`; `undefined` where nothing is asked for. Throws `validation_failed` for what it may not be. */
export function readExplain(asked: unknown): AskedExplanation | undefined {
  if (asked === undefined || asked === null || asked === false) return undefined
  if (asked === true || asked === 'auto') return asked
  if (typeof asked !== 'object' || !Object.hasOwn(asked, 'row_id'))
    throw validationFailed({ explain: [listOptions(['true', 'auto', '{"row_id": …}'])] })
  const rowId: unknown = Reflect.get(asked, 'row_id')
  const isId = typeof rowId === 'string' || Number.isSafeInteger(rowId)
  if (!isId) throw validationFailed({ 'explain.row_id': [fieldFault('not_an_id')] })
  return { rowId: rowId as string | number }
}

interface Restriction {
  readonly name: string
  readonly plan: Pick<Plan, 'conditions' | 'filtered'>
}

const nothing = {
  readGroups: () => undefined,
  readSearch: () => undefined,
  openGroup: () => undefined,
}

/** Splits a request into its restrictions: each filter name, all filter groups, the search, and the open group. */
function listRestrictions({ view, context }: OpenedTable, asked: AskedRows): readonly Restriction[] {
  const { timeZone } = context
  const { extensions } = asked
  const flat = readFilters(asked.filters, maxFilters) ?? []
  const names = [...new Set(flat.map(({ field }) => field).filter((field) => typeof field === 'string'))]
  const alone = extensions && { ...extensions, ...nothing }
  const byName = names.map((name) => {
    const filters = flat.filter(({ field }) => field === name)
    return { name, plan: planRows(view, { filters, extensions: alone }, timeZone) }
  })
  const only = (part: keyof typeof nothing) =>
    extensions && planRows(view, { extensions: { ...extensions, ...nothing, [part]: extensions[part] } }, timeZone)
  const groups = only('readGroups')
  const search = only('readSearch')
  // The token was checked by the plan of the request, so that its own filters are not needed any more.
  const group = only('openGroup')
  return [
    ...byName,
    ...(groups === undefined ? [] : [{ name: 'filter_groups', plan: groups }]),
    ...(search === undefined ? [] : [{ name: 'search', plan: search }]),
    ...(group === undefined ? [] : [{ name: 'group', plan: group }]),
  ].filter(({ plan }) => plan.conditions.length > 0)
}

/**
 * Counts the selected rows, and those without each restriction, in one statement that reads the rows of the scope once.
 */
export async function explainRows(database: Database, opened: OpenedTable, asked: AskedRows): Promise<Explanation> {
  const restrictions = listRestrictions(opened, asked)
  const { text, parameters } = restrictionStatement(opened, restrictions)
  const places = restrictions.map((_, index) => `b${index}`)
  const countIf = (kept: readonly string[]) =>
    kept.length === 0 ? 'count(*)' : `count(*) filter (where ${kept.join(' and ')})`
  const counts = [places, ...places.map((own) => places.filter((place) => place !== own))].map(countIf)
  const [row = []] = await database.read(`select ${counts.join(', ')} from (${text}) r`, parameters)
  const [total = 0, ...others] = row.map(Number)
  const without = restrictions.map(({ name }, index) => ({ filter: name, total: others[index] ?? total }))
  const top = Math.max(total, ...others)
  return { total, without, most: without.find((one) => one.total === top && top > total)?.filter ?? null }
}

/**
 * Names the restrictions that a row does not fulfil. Throws `row_not_found`, at the same cost, if it is not in the
 * scope.
 */
export async function explainRow(
  database: Database,
  opened: OpenedTable,
  asked: AskedRows,
  rowId: string | number,
): Promise<RowExplanation> {
  const restrictions = listRestrictions(opened, asked)
  const { id, key } = readRow(opened.view.table.key, rowId)
  const { text, parameters } = restrictionStatement(opened, restrictions, key === undefined ? [] : [key])
  const [row] = await database.read(text, parameters)
  if (row === undefined) throw new RequestError('row_not_found')
  return { row_id: id, excluded_by: restrictions.flatMap(({ name }, index) => (row[index] === true ? [] : name)) }
}

/** Selects for each row of the scope, or for those with these keys, which restrictions it fulfils. */
function restrictionStatement(opened: OpenedTable, restrictions: readonly Restriction[], keys?: readonly string[]) {
  const statement = createStatement()
  const { table } = opened.view
  const kept = restrictions.map(
    ({ plan }, index) =>
      `(${plan.conditions.map((condition) => condition(statement)).join(' and ')}) is true as b${index}`,
  )
  const own = keys === undefined ? [] : [keyInList(table.key, keys)(statement)]
  const where = whereText([...scopeText(statement, opened), ...own])
  const joins = joinText(restrictions.flatMap(({ plan }) => plan.filtered))
  return { text: `select ${kept.join(', ')} from ${table.text}${joins}${where}`, parameters: statement.parameters }
}
