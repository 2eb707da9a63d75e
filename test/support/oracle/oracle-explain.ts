import type { Parcel } from '../parcels/parcel-rows.ts'
import { isSentinel } from './oracle-filters.ts'
import { expectedRows, type OracleQuery } from './oracle-query.ts'

/**
 * How many rows a query selects, and how many without each of its restrictions. Filters that restrict nothing are none.
 */
export function expectedExplanation(query: OracleQuery, own: readonly Parcel[]) {
  const count = (one: OracleQuery): number => expectedRows({ ...one, sorts: [] }, own).length
  const { filters, groups, search } = query
  const restricting = filters.filter((filter) => !isSentinel(filter)).map(({ sent }) => sent.field)
  // A name stands where the request mentions it first, be it by a filter that restricts nothing.
  const names = new Set(filters.map(({ sent }) => sent.field))
  const withoutFilters = [...names]
    .filter((name) => restricting.includes(name))
    .map((name) => ({
      filter: name,
      total: count({ ...query, filters: filters.filter(({ sent }) => sent.field !== name) }),
    }))
  const without = [
    ...withoutFilters,
    ...(groups === undefined ? [] : [{ filter: 'filter_groups', total: count({ ...query, groups: undefined }) }]),
    ...(search === undefined ? [] : [{ filter: 'search', total: count({ ...query, search: undefined }) }]),
  ]
  return { total: count(query), without }
}

/** The restrictions that a row does not fulfil. */
export const expectedExclusions = ({ filters, groups, search }: OracleQuery, parcel: Parcel): ReadonlySet<string> =>
  new Set([
    ...filters.filter(({ keeps }) => !keeps(parcel)).map(({ sent }) => sent.field),
    ...(groups?.keeps(parcel) === false ? ['filter_groups'] : []),
    ...(search?.keeps(parcel) === false ? ['search'] : []),
  ])
