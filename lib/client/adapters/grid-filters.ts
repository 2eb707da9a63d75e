import { all, any, none } from '../filter-groups.ts'
import type { FilterOf, FilterPart } from '../queries.ts'
import type { AnyTable } from '../table-types.ts'
import type { Operator } from '../wire.ts'
import { createUnsupported, type GridQuery } from './grid-client.ts'

type GridFilter = FilterOf<AnyTable>

/** A filter, or filters that are joined. */
export type GridPart = FilterPart<AnyTable>

/** The service's operator for one of a grid, or the operator of which it is the opposite. */
type Equivalent = Operator | { readonly none: Operator }

/** The equivalents of a grid's operators; `undefined` where the service has none. */
export type Equivalents<Name extends string = string> = Readonly<Record<Name, Equivalent | undefined>>

interface GridCondition {
  readonly field: string
  /** The grid's own name of the operator. */
  readonly operator: string
  readonly value?: unknown
  /** Whether the service has a date filter for the field: one filter for each end of the range. */
  readonly isDate?: boolean | undefined
}

/** Creates the filter of a condition. Throws `createUnsupported` for an operator without an equivalent. */
export function createCondition(equivalents: Partial<Equivalents>, condition: GridCondition): GridPart {
  const { field, operator, value, isDate } = condition
  const equivalent = Object.hasOwn(equivalents, operator) ? equivalents[operator] : undefined
  if (equivalent === undefined) throw createUnsupported(`the operator "${operator}" of "${field}"`)
  const create = isDate ? createDateFilter : createFilter
  return typeof equivalent === 'object' ? none(create(field, equivalent.none, value)) : create(field, equivalent, value)
}

export const createFilter = (field: string, operator: Operator, value?: unknown): GridFilter =>
  operator === 'is null' || operator === 'is not null'
    ? { field, operator }
    : { field, operator, value: value as GridFilter['value'] }

/**
 * Creates the filter of a date: `value` is a date, for a range a list of two, and for `within` a period. Comparisons
 * are made of `>=` and `<=`, which most date filters take.
 */
export function createDateFilter(field: string, operator: Operator, value: unknown): GridPart {
  const [first, last] = Array.isArray(value) ? value : [value, value]
  const from = createFilter(`${field}_from`, '>=', first)
  const to = createFilter(`${field}_to`, '<=', last)
  if (operator === '>=') return from
  if (operator === '<=') return to
  if (operator === '>') return all(from, none(to))
  if (operator === '<') return all(to, none(from))
  if (operator === '=' || operator === 'between') return all(from, to)
  if (operator === '!=' || operator === 'not between') return none(all(from, to))
  if (/^(is |within)/.test(operator)) return createFilter(`${field}_from`, operator, value)
  throw createUnsupported(`the operator "${operator}" of the date "${field}"`)
}

/** Joins filters into one part; no filters are no restriction. */
export function joinFilters(parts: readonly GridPart[], by: 'and' | 'or'): readonly GridPart[] {
  if (parts.length < 2) return parts
  return [by === 'or' ? any(...parts) : all(...parts)]
}

/**
 * Returns the selection of filters that must all hold. Facets leave out only flat filters, so these are as many as
 * possible.
 */
export function toSelection(parts: readonly GridPart[]): Pick<GridQuery, 'filters' | 'filter_groups'> {
  const flat = parts.flatMap(splitPart)
  const filters = flat.filter((part): part is GridFilter => 'field' in part)
  const [group, ...others] = flat.filter((part) => !('field' in part))
  if (group === undefined || 'field' in group) return { filters }
  return { filters, filter_groups: others.length === 0 ? group : all(group, ...others) }
}

const splitPart = (part: GridPart): readonly GridPart[] => ('all' in part ? part.all.flatMap(splitPart) : [part])
