import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { readFaults, validationFailed, valueFault } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { compileSort } from '../table/compile-sort.ts'
import type { CompiledSort } from '../table/compiled-table.ts'
import type { AppliedFilter } from '../table/context.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import type { Condition } from './compare.ts'
import { type ReadFilter, type ReadOperand, readOperand, readOperator } from './filter-condition.ts'
import type { AppliedGroup, AppliedSearch, OpenedKey, PlanExtensions } from './plan-extensions.ts'
import { maxFilters, readFilters, readSorts } from './request-forms.ts'

export interface Warning {
  readonly code: 'unknown_filter' | 'unknown_sort' | 'unknown_key' | 'unknown_param' | 'empty_range' | 'short_word'
  readonly field: string
  /** The key of a request that an unknown one was probably meant to be. */
  readonly meant?: string
}

/** The rows that a request asks for and their order, resolved against what the caller may see. No SQL exists yet. */
export interface Plan {
  readonly conditions: readonly Condition[]
  /** The sources that the conditions read, for the joins they need. */
  readonly filtered: readonly Source[]
  readonly applied: Readonly<Partial<Record<string, AppliedFilter>>>
  /** Every filter in the order of the request; one name can stand for several conditions. */
  readonly restrictions: readonly (readonly [filter: string, read: ReadFilter])[]
  /** The filter groups of the request, if there are any. */
  readonly groups: AppliedGroup | undefined
  /** The search of the request, if it looks for any word. */
  readonly search: AppliedSearch | undefined
  /** The keys of the group of `group_by` that is open. */
  readonly opened: readonly OpenedKey[]
  /** Equal for the same filters, groups and search in the same order; sorts and the open group are not part of it. */
  readonly meaning: () => unknown
  /** The day on which its periods are read, in days since 1970; `undefined` where it has none. */
  readonly day: number | undefined
  /** Total: the row key is always the last. */
  readonly order: readonly CompiledSort[]
  readonly warnings: readonly Warning[]
  /** Equal for the same `meaning`, sorts, requested time zone and open group. */
  readonly fingerprint: () => string
}

export interface AskedRows {
  readonly filters?: unknown
  readonly sorts?: unknown
  /** The parts that few requests have beside filters and sorts, from `loadPlanExtensions`. */
  readonly extensions?: PlanExtensions | undefined
}

export const maxSorts = 10
/** The planner multiplies the odds of conditions on one column, and with many of them expects no rows at all. */
const maxConditions = 5
const maxWarningLength = 100

/** The faults of a request by path, collected before it is refused. */
type Faults = Record<string, readonly Bilingual[]>

/** Resolves filters and sorts. Throws `validation_failed` naming each field that cannot be read. */
export function planRows(view: TableView, asked: AskedRows, timeZone: string): Plan {
  const fields: Faults = Object.create(null)
  const { extensions } = asked
  const filters = planFilters(view, asked, timeZone, fields)
  const groups = extensions?.readGroups(view, fields)
  const search = extensions?.readSearch(view, fields)
  const applied = filters.restrictions.map(([name, read]) => [name, read.applied] as const)
  // Without the bounds of periods, which may move between two pages.
  const meaning = () => [
    applied.map(([name, { operator, value }]) => [name, { operator, value }]),
    groups?.meaning,
    ...(search === undefined ? [] : [search.meaning]),
  ]
  const sorts = planSorts(view, asked.sorts, fields)
  if (Object.keys(fields).length > 0) throw validationFailed(fields)
  const group = extensions?.openGroup(meaning())
  const parts = [groups, search, group].filter((part) => part !== undefined)
  const order = totalOrder(view, sorts.order)
  return {
    conditions: [...filters.conditions, ...parts.flatMap((part) => part.conditions)],
    filtered: [...filters.filtered, ...parts.flatMap((part) => part.filtered)],
    applied: Object.assign(Object.create(null), Object.fromEntries(applied)),
    restrictions: filters.restrictions,
    groups: groups?.applied,
    search: search?.applied,
    opened: group?.opened ?? [],
    meaning,
    day: extensions?.readDay(),
    order,
    warnings: [...filters.warnings, ...sorts.warnings, ...(search?.hasShortWord === true ? [shortWord] : [])],
    fingerprint: () =>
      JSON.stringify([
        meaning(),
        order.map(({ source, direction, ...rest }) => [source.key, direction, ...Object.values(rest)]),
        ...(extensions === undefined ? [] : [extensions.timeZone, group?.meaning]),
      ]),
  }
}

const shortWord = { code: 'short_word', field: 'search' } as const

function planFilters(view: TableView, { filters, extensions }: AskedRows, timeZone: string, fields: Faults) {
  const conditions: Condition[] = []
  const filtered: Source[] = []
  const restrictions: [string, ReadFilter][] = []
  const said = new Map<string, Set<string>>()
  const warnings: Warning[] = []
  // Any other operator has loaded the extensions.
  const readOne = extensions?.readOperand ?? (readOperand as ReadOperand)
  const asked = readFilters(filters, maxFilters)
  if (asked === undefined) fields['filters'] = [fieldFault('not_a_list_or_object')]
  else if (asked.length > maxFilters) fields['filters'] = [fieldFault('too_many', { max: maxFilters })]
  for (const { path, field, operator, value } of asked?.slice(0, maxFilters) ?? []) {
    if (typeof field !== 'string') {
      fields[`${path}.field`] = [fieldFault(field === undefined ? 'required' : 'not_a_text')]
      continue
    }
    const filter = view.filters.get(field)
    if (filter === undefined) {
      warnings.push({ code: 'unknown_filter', field: field.slice(0, maxWarningLength) })
      continue
    }
    try {
      const read = readOne(filter, readOperator(filter, operator), value, timeZone)
      const known = said.get(field) ?? new Set<string>()
      const meaning = fingerprintMeaning(read.applied)
      if (known.has(meaning)) continue
      if (known.size === maxConditions) throw valueFault('too_many_conditions', { max: maxConditions })
      said.set(field, known.add(meaning))
      conditions.push(...read.conditions)
      if (read.conditions.length > 0) filtered.push(filter.source)
      if (isReversed(read.applied)) warnings.push({ code: 'empty_range', field })
      restrictions.push([field, read])
    } catch (error) {
      fields[`filters.${field}`] = readFaults(error)
    }
  }
  return { conditions, filtered, restrictions, warnings }
}

const plainDay = /^\d{4}-\d\d-\d\d$/

/**
 * Returns whether a range certainly begins after its end. Moments are not compared: picked days widen to whole days.
 */
function isReversed({ operator, value }: AppliedFilter): boolean {
  // Without its middle, such a range keeps every row.
  if (operator === 'not between') return false
  if (Array.isArray(value)) return operator === 'between' && Number(value[0]) > Number(value[1])
  if (typeof value !== 'object' || !('from' in value && 'to' in value)) return false
  const from = value.from ?? ''
  const to = value.to ?? ''
  return plainDay.test(from) && plainDay.test(to) && from > to
}

/** Equal for conditions that select the same rows. */
const fingerprintMeaning = ({ operator, value }: AppliedFilter): string =>
  JSON.stringify([operator, operator.endsWith('like') ? String(value).toLowerCase() : value])

function planSorts(view: TableView, sorts: unknown, fields: Faults) {
  const order: CompiledSort[] = []
  const warnings: Warning[] = []
  const asked = readSorts(sorts, view.sortables, maxSorts)
  if (asked === undefined) fields['sorts'] = [fieldFault('not_a_list_or_object')]
  else if (asked.length > maxSorts) fields['sorts'] = [fieldFault('too_many', { max: maxSorts })]
  for (const { path, field, direction, nulls } of asked?.slice(0, maxSorts) ?? []) {
    const source = typeof field === 'string' && view.sortables.has(field) ? view.table.sources.get(field) : undefined
    const word = typeof direction === 'string' ? direction.toLowerCase() : (direction ?? 'asc')
    if (typeof field !== 'string')
      fields[`${path}.field`] = [fieldFault(field === undefined ? 'required' : 'not_a_text')]
    else if (source === undefined) warnings.push({ code: 'unknown_sort', field: field.slice(0, maxWarningLength) })
    else if (word !== 'asc' && word !== 'desc') fields[`sorts.${field}`] = [fieldFault('not_a_direction')]
    else if (nulls !== undefined && nulls !== 'first' && nulls !== 'last')
      fields[`sorts.${field}.nulls`] = [listOptions(['first', 'last'])]
    else if (!order.some((sort) => sort.source === source))
      order.push(compileSort(view.table.definition, { source, direction: word, ...(nulls && { nulls }) }))
  }
  return { order, warnings }
}

/** Ties are broken by the row key, in the direction of the last sort, so that one index can serve the whole order. */
function totalOrder({ defaultSort, table }: TableView, asked: readonly CompiledSort[]): readonly CompiledSort[] {
  const order = asked.length > 0 ? asked : [defaultSort]
  const end = order.findIndex(({ source }) => source === table.key)
  if (end >= 0) return order.slice(0, end + 1)
  return [...order, { source: table.key, direction: order.at(-1)?.direction ?? 'asc' }]
}
