import { expect } from 'vitest'
import { type Parcel, parcelKinds, parcelStates } from '../parcels/parcel-rows.ts'
import { expectedRows, type OracleQuery } from './oracle-query.ts'

interface CountedValue {
  readonly value: unknown
  readonly count: number
}

interface Range {
  readonly value: { readonly from: string | number; readonly to: string | number }
  readonly count: number
}

/** The filters whose facets the oracle knows. */
export const oracleFacets = ['kind', 'state', 'fragile', 'has_weight', 'weight', 'shipped_from'] as const

type Facet<Option> = { readonly options: readonly Option[] }

export interface AnsweredFacets {
  readonly kind: Facet<CountedValue>
  readonly state: Facet<CountedValue>
  readonly fragile: Facet<CountedValue>
  readonly has_weight: Facet<CountedValue>
  readonly weight: Facet<Range>
  readonly shipped_from: Facet<Range>
}

/**
 * Compares the facets of a response with the rows that a caller sees, each counted without the filters of its own name.
 */
export function expectFacets(
  { kind, state, fragile, has_weight, weight, shipped_from }: AnsweredFacets,
  query: OracleQuery,
  own: readonly Parcel[],
  note: string,
): void {
  const rowsFor = (...names: readonly string[]): readonly Parcel[] =>
    expectedRows(
      { ...query, sorts: [], filters: query.filters.filter(({ sent }) => !names.includes(String(sent.field))) },
      own,
    )
  const expectCounts = (
    { options }: Facet<CountedValue>,
    values: readonly (string | null)[],
    offered: readonly string[],
  ) => expect(countOnServer(options), note).toEqual(countValues(values, offered))
  expectCounts(
    kind,
    rowsFor('kind').map((row) => row.kind),
    parcelKinds,
  )
  expectCounts(
    state,
    rowsFor('state').map((row) => row.state),
    parcelStates,
  )
  const truths = rowsFor('fragile').map((row) => (row.fragile === null ? null : row.fragile ? '1' : '0'))
  expectCounts(fragile, truths, ['1', '0'])
  const presence = rowsFor('has_weight').map((row) => (row.weight === null ? 'not_set' : 'set'))
  expectCounts(has_weight, presence, ['set', 'not_set'])
  expectRanges(
    weight,
    rowsFor('weight').flatMap((row) => row.weight ?? []),
    note,
  )
  expectRanges(
    shipped_from,
    rowsFor('shipped_from', 'shipped_to').flatMap((row) => row.shipped ?? []),
    note,
  )
}

/** Each range counts what lies in it, and all together count every value. */
function expectRanges({ options }: Facet<Range>, values: readonly string[] | readonly number[], note: string): void {
  expect(options.length, note).toBeLessThanOrEqual(20)
  for (const { value, count } of options)
    expect(values.filter((one) => one >= value.from && one < value.to).length, note).toBe(count)
  expect(
    options.reduce((total, { count }) => total + count, 0),
    note,
  ).toBe(values.length)
}

const countValues = (values: readonly (string | null)[], offered: readonly string[]): object => {
  const counts: Record<string, number> = {}
  for (const value of values) if (value !== null && offered.includes(value)) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const countOnServer = (options: readonly CountedValue[]): object =>
  Object.fromEntries(options.map(({ value, count }) => [value, count]))
