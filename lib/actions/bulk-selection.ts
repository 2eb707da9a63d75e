import { actionFault } from '../errors/action-fault.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { selectionFault } from '../errors/selection-fault.ts'
import type { Bilingual } from '../i18n/language.ts'
import { onlyKeys, withoutKeys } from '../query/keys-statement.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { type Plan, planRows } from '../query/plan.ts'
import { readWhole, truths } from '../query/read-value.ts'
import { openSelectionToken, type SelectedTable, type TokenSelection } from '../query/selection-token.ts'
import { readRows } from '../rows/asked-row.ts'
import { keyText } from '../rows/key-text.ts'
import { readIds } from '../rows/row-id.ts'
import { nearNames } from '../table/near-names.ts'
import { isObject, ownValue, type UnknownBody } from '../table/unknown-body.ts'
import type { TableView } from '../table/view.ts'

const maxIds = 10_000
const maxColumns = 1_000
const maxNameLength = 100

/**
 * Plans the rows of a bulk action: exactly the selected ones where there are some, else all that the filters select.
 * Throws `validation_failed` for an unknown filter, and for `null` in place of ids or filters: the action would run on
 * more than was meant. `select_all` with `excluded_ids` leaves these rows out. Periods such as `today` are those of the
 * moment `now`, in epoch milliseconds. `secret` opens the tokens of groups.
 */
export async function planBulk(viewed: SelectedTable, body: UnknownBody, secret: string, now?: number): Promise<Plan> {
  const { view, context } = viewed
  const { timeZone } = context
  const ids = Object.hasOwn(body, 'selected_ids') ? body['selected_ids'] : []
  const sorts = ownValue(body, 'sorts')
  const excluded = readExcludedIds(body)
  const token = openToken(viewed, body, secret)
  if (!Array.isArray(ids) || ids.length > 0) {
    if (token !== undefined) throw new RequestError('selection_mismatch')
    const keys = readIds(ids, 'selected_ids', 1, maxIds).flatMap((id) => keyText(view.table.key, id) ?? [])
    return onlyKeys(view, planRows(view, { sorts }, timeZone), keys)
  }
  if (ownValue(body, 'filter_groups') === null)
    throw validationFailed({ filter_groups: [selectionFault('not_a_group')] })
  if (ownValue(body, 'group') === null) throw validationFailed({ group: [selectionFault('not_a_group_token')] })
  if (ownValue(body, 'filters') === null) throw validationFailed({ filters: [fieldFault('not_a_list_or_object')] })
  const extensions = await loadPlanExtensions(viewed, body, secret, { now: token?.at ?? now })
  const plan = planRows(view, { filters: ownValue(body, 'filters'), sorts, extensions }, timeZone)
  assertKnownSearchKeys(ownValue(body, 'search'))
  if (Object.hasOwn(body, 'search') && plan.search === undefined)
    throw validationFailed({ search: [fieldFault('too_short', { min: 2 })] })
  const unknown = plan.warnings.filter(({ code }) => code === 'unknown_filter')
  if (unknown.length === 0) {
    // A job runs what its request was checked for.
    if (now === undefined) token?.assertSame(plan, extensions)
    const keys = excluded.flatMap((id) => keyText(view.table.key, id) ?? [])
    return keys.length === 0 ? plan : withoutKeys(view, plan, keys)
  }
  const fault = (field: string): Bilingual => {
    const [meant] = nearNames(field, [...view.filters.keys()])
    return meant === undefined ? selectionFault('no_filter') : actionFault('other_filter', { meant })
  }
  throw validationFailed(Object.fromEntries(unknown.map(({ field }) => [`filters.${field}`, [fault(field)]])))
}

/** Throws `validation_failed` for a misspelt `columns`: without it, the search would find more rows than was meant. */
function assertKnownSearchKeys(search: unknown): void {
  if (!isObject(search)) return
  const unknown = Object.keys(search).find((key) => key !== 'q' && key !== 'columns')
  if (unknown !== undefined)
    throw validationFailed({ [`search.${unknown.slice(0, maxNameLength)}`]: [fieldFault('not_known')] })
}

/** The most rows that may differ: more cannot be told apart. */
const maxTolerance = 100

/** Reads `tolerance`, which is 0 unless it is given. */
export const readTolerance = (body: UnknownBody): number =>
  readWhole(ownValue(body, 'tolerance') ?? 0, 0, maxTolerance, 'tolerance')

/** Opens `selection_token`. Throws `validation_failed` for a `tolerance` without one. */
function openToken(viewed: SelectedTable, body: UnknownBody, secret: string): TokenSelection | undefined {
  const token = ownValue(body, 'selection_token') ?? undefined
  const tolerance = readTolerance(body)
  if (token === undefined && tolerance > 0) throw validationFailed({ tolerance: [actionFault('only_with_token')] })
  if (token === undefined) return undefined
  return openSelectionToken(viewed, token, secret)
}

/**
 * Reads `select_all` and `excluded_ids`. Throws `validation_failed` for rows that are left out of no whole selection,
 * and for a body that selects all rows and some at once, or none.
 */
function readExcludedIds(body: UnknownBody): readonly (string | number)[] {
  const ids = readIds(Object.hasOwn(body, 'excluded_ids') ? body['excluded_ids'] : [], 'excluded_ids', 0, maxIds)
  const asked = ownValue(body, 'select_all') ?? undefined
  const selectsAll = truths.get(asked)
  if (asked !== undefined && selectsAll === undefined)
    throw validationFailed({ select_all: [fieldFault('not_a_boolean')] })
  const isPicked = countPickedRows(body) !== undefined
  if (isPicked && selectsAll === true) throw validationFailed({ selected_ids: [actionFault('not_with_select_all')] })
  if (!isPicked && selectsAll === false) throw validationFailed({ selected_ids: [fieldFault('empty')] })
  if (ids.length > 0 && selectsAll !== true)
    throw validationFailed({ excluded_ids: [actionFault('only_with_select_all')] })
  return ids
}

/** How many rows a body leaves out of all that it selects; `undefined` where it leaves out none. */
export function countExcludedRows(body: UnknownBody): number | undefined {
  const ids = readExcludedIds(body)
  return ids.length > 0 ? ids.length : undefined
}

/** How many rows were picked by hand; `undefined` where the filters select. */
export function countPickedRows(body: UnknownBody): number | undefined {
  const ids = ownValue(body, 'selected_ids')
  return Array.isArray(ids) && ids.length > 0 ? readIds(ids, 'selected_ids', 1, maxIds).length : undefined
}

/**
 * The ids of rows that were picked by hand and are not there for this caller: never there, gone and outside the scope
 * look alike. `found` are the keys of those that are there.
 */
export function missingIds(
  { table }: TableView,
  body: UnknownBody,
  found: Iterable<string>,
): readonly (string | number)[] {
  if (countPickedRows(body) === undefined) return []
  const there = new Set(found)
  const rows = readRows(table.key, ownValue(body, 'selected_ids'), 'selected_ids', 1, maxIds)
  return rows.filter(({ key }) => key === undefined || !there.has(key)).map(({ id }) => id)
}

/**
 * The columns chosen for a file, in the client's order; `undefined` for all. Throws `validation_failed` for any other
 * name.
 */
export function readColumns(view: TableView, body: UnknownBody): readonly string[] | undefined {
  const chosen = ownValue(body, 'columns') ?? undefined
  if (chosen === undefined) return undefined
  if (!Array.isArray(chosen)) throw validationFailed({ columns: [fieldFault('not_a_list')] })
  if (chosen.length === 0) return undefined
  if (chosen.length > maxColumns) throw validationFailed({ columns: [fieldFault('too_many', { max: maxColumns })] })
  const known = new Set(view.columns.filter(({ type }) => type !== 'actions').map(({ key }) => key))
  const wrong = chosen.findIndex((key) => typeof key !== 'string' || !known.has(key))
  if (wrong >= 0) throw validationFailed({ [`columns.${wrong}`]: [listOptions(known)] })
  return [...new Set(chosen as readonly string[])]
}
