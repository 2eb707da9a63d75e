import fc from 'fast-check'
import { type Parcel, parcels } from '../parcels/parcel-rows.ts'
import { parcelSortables } from '../parcels/parcel-table.ts'
import { oracleFilter } from './oracle-filters.ts'
import { type OracleSearch, oracleSearch } from './oracle-search.ts'
import { compareValues, type OracleFilter, type OracleKey, type OracleValue, valueUnder } from './oracle-values.ts'

export interface OracleSort {
  readonly field: OracleKey
  readonly direction: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last' | undefined
}

/** A query as it is sent and as the oracle evaluates it. */
export interface OracleQuery {
  readonly filters: readonly OracleFilter[]
  readonly sorts: readonly OracleSort[]
  readonly groups?: OracleGroup | undefined
  readonly search?: OracleSearch | undefined
}

/** A tree of filters. Nothing is missing in a group: `none` keeps what no part keeps. */
export interface OracleGroup {
  readonly sent: object
  readonly keeps: (parcel: Parcel) => boolean
}

const groupKinds = {
  all: (parts: readonly OracleGroup[], parcel: Parcel) => parts.every(({ keeps }) => keeps(parcel)),
  any: (parts: readonly OracleGroup[], parcel: Parcel) => parts.some(({ keeps }) => keeps(parcel)),
  none: (parts: readonly OracleGroup[], parcel: Parcel) => !parts.some(({ keeps }) => keeps(parcel)),
} as const

/** A group refuses what restricts nothing. */
const leaf = oracleFilter.filter(({ sent: { value } }) => value !== 'all')

const groupOver = (part: fc.Arbitrary<OracleGroup>): fc.Arbitrary<OracleGroup> =>
  fc
    .record({
      kind: fc.constantFrom('all', 'any', 'none'),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    })
    .map(({ kind, parts }) => ({
      sent: { [kind]: parts.map(({ sent }) => sent) },
      keeps: (parcel) => groupKinds[kind](parts, parcel),
    }))

const oracleGroup = groupOver(fc.oneof({ arbitrary: leaf, weight: 3 }, groupOver(fc.oneof(leaf, groupOver(leaf)))))

export const oracleSorts: fc.Arbitrary<readonly OracleSort[]> = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom<OracleKey>(...parcelSortables),
    direction: fc.constantFrom('asc', 'desc'),
    nulls: fc.constantFrom(undefined, 'first', 'last'),
  }),
  { maxLength: 3, selector: ({ field }) => field },
)

/**
 * Mostly one filter, because many at once leave no rows. Half of them have groups, and half a search: `freq: 1` would
 * be none.
 */
export const oracleQuery: fc.Arbitrary<OracleQuery> = fc.record({
  filters: fc.oneof(
    { arbitrary: fc.constant([]), weight: 1 },
    { arbitrary: fc.tuple(oracleFilter), weight: 5 },
    { arbitrary: fc.array(oracleFilter, { minLength: 2, maxLength: 3 }), weight: 3 },
  ),
  sorts: oracleSorts,
  groups: fc.option(oracleGroup, { nil: undefined, freq: 2 }),
  search: fc.option(oracleSearch, { nil: undefined, freq: 2 }),
})

/** The body of a query. `form` 1 writes the filters as an object where no name repeats. */
export function readBody({ filters, sorts, groups, search }: OracleQuery, form = 0): Readonly<Record<string, unknown>> {
  const names = filters.map(({ sent }) => sent.field)
  const asObject = form === 1 && new Set(names).size === names.length
  const sent = asObject
    ? Object.fromEntries(filters.map(({ sent: { field, ...rest } }) => [field, { key: field, ...rest }]))
    : filters.map((filter) => filter.sent)
  const [sort] = sorts
  const oneSort = form === 1 && sorts.length === 1 && sort !== undefined && sort.nulls === undefined
  return {
    filters: sent,
    sorts: oneSort ? { label: 'A label', direction: sort.direction, [sort.field]: sort.direction } : sorts,
    ...(groups !== undefined && { filter_groups: groups.sent }),
    ...(search !== undefined && { search: search.sent }),
  }
}

const all = parcels()

/**
 * The rows of a query in their order, by the plainest means: keep, then sort with NULLs where the sort wants them, ties
 * by id.
 */
export function expectedRows(
  { filters, sorts, groups, search }: OracleQuery,
  rows: readonly Parcel[] = all,
): readonly Parcel[] {
  const direction = sorts.at(-1)?.direction ?? 'asc'
  const order: readonly OracleSort[] = [...sorts, { field: 'id', direction }]
  return inOrder(
    rows.filter(
      (parcel) =>
        filters.every(({ keeps }) => keeps(parcel)) &&
        (groups?.keeps(parcel) ?? true) &&
        (search?.keeps(parcel) ?? true),
    ),
    order.map(({ field, ...sort }) => ({ ...sort, read: (parcel: Parcel) => valueUnder(field, parcel) })),
  )
}

/** A sort of any rows, by what it reads of each. */
export interface ReadingSort<Row> {
  readonly direction: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last' | undefined
  readonly read: (row: Row) => OracleValue
  /** Default: texts by code point. */
  readonly compare?: ((left: OracleValue, right: OracleValue) => number) | undefined
}

/** The rows by several sorts, one after the other, with NULLs last unless a sort says otherwise. */
export const inOrder = <Row>(rows: readonly Row[], order: readonly ReadingSort<Row>[]): readonly Row[] =>
  rows
    .map((row) => ({ row, values: order.map(({ read }) => read(row)) }))
    .sort((left, right) => {
      for (let index = 0; index < order.length; index++) {
        const result = compareInOrder(order[index], left.values[index] ?? null, right.values[index] ?? null)
        if (result !== 0) return result
      }
      return 0
    })
    .map(({ row }) => row)

function compareInOrder<Row>(sort: ReadingSort<Row> | undefined, a: OracleValue, b: OracleValue): number {
  const { direction, nulls, compare = compareValues } = sort ?? {}
  if (a === null || b === null) return (nulls === 'first' ? -1 : 1) * (Number(a === null) - Number(b === null))
  return direction === 'asc' ? compare(a, b) : compare(b, a)
}
