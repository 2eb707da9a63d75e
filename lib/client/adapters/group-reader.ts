import type { Group, GroupBy } from '../queries.ts'
import type { AnyTable } from '../table-types.ts'
import { createUnsupported, type GridPage, type GridQuery } from './grid-client.ts'

export type Buckets = Readonly<Record<string, NonNullable<GroupBy<AnyTable>['bucket']>>>

/** Groups rows by a column, whose values its bucket joins if it has one. */
export function toGroupBy(field: string, buckets: Buckets = {}): GroupBy<AnyTable> {
  const bucket = Object.hasOwn(buckets, field) ? buckets[field] : undefined
  return { field, ...(bucket !== undefined && { bucket }) }
}

/** A query whose rows are grouped: one column for each level. */
export interface GroupedQuery {
  /** Selects the rows of all groups. */
  readonly selection: GridQuery
  readonly levels: readonly GroupBy<AnyTable>[]
  readonly aggregates: NonNullable<GridQuery['aggregates']>
  /** How the rows of all groups are counted. */
  readonly count: NonNullable<GridQuery['count']>
}

/** The groups of one level that were read. */
interface Level {
  /** The `after` of pages by the first row of each. */
  readonly starts: Map<number, string | undefined>
  readonly tokens: Map<string, string | null>
}

interface GroupWindow {
  readonly after: string | undefined
  readonly limit: number
}

export interface GroupRows {
  readonly page: GridPage
  readonly groups: readonly Group<AnyTable>[]
  readonly isLast: boolean
}

const maxLimit = 1_000

/** The name by which a grid opens a group. An empty text differs from a missing value. */
export function groupName({ keys }: Pick<Group<AnyTable>, 'keys'>): string {
  const value = keys[0]?.value ?? ''
  return keys[0]?.value === '' ? '""' : String(value)
}

/** Returns the groups of a page. Throws `createUnsupported` if counting them took longer than the service allows. */
export function requireGroups({ groups }: GridPage): readonly Group<AnyTable>[] {
  if (groups === undefined) throw createUnsupported('groups of so many rows: counting them takes too long')
  return groups
}

/**
 * Reads groups for a grid, which opens a group by its names and a page by its first row: remembers the tokens of both.
 */
export function createGroupReader(read: (query: GridQuery) => Promise<GridPage>) {
  const levels = new Map<string, Level>()
  let known = ''
  const findLevel = (grouped: GroupedQuery, path: readonly string[]): Level => {
    const meaning = JSON.stringify([grouped.selection, grouped.levels])
    if (meaning !== known) levels.clear()
    known = meaning
    const name = JSON.stringify(path)
    const level = levels.get(name) ?? { starts: new Map([[0, undefined]]), tokens: new Map() }
    levels.set(name, level)
    return level
  }
  const readPage = async (grouped: GroupedQuery, path: readonly string[], { after, limit }: GroupWindow) => {
    const group = await openGroup(grouped, path)
    const { selection, levels, aggregates, count } = grouped
    const page = await read({
      ...selection,
      aggregates,
      count,
      page: 1,
      perPage: 1,
      group_by: levels.slice(path.length, path.length + 1),
      groups_page: { limit, ...(after !== undefined && { after }) },
      ...(group !== undefined && { group }),
    })
    const groups = requireGroups(page)
    const { tokens } = findLevel(grouped, path)
    for (const one of groups) tokens.set(groupName(one), one.token)
    return { page, groups, next: page.groups_next ?? undefined }
  }
  /** Returns the token of an open group. Throws `createUnsupported` if it no longer exists. */
  const openGroup = async (grouped: GroupedQuery, path: readonly string[]): Promise<string | undefined> => {
    const name = path.at(-1)
    if (name === undefined) return undefined
    const parent = path.slice(0, -1)
    // A grid may keep a group open that was not read for this query yet.
    let after: string | undefined
    for (let isFirst = true; !findLevel(grouped, parent).tokens.has(name); isFirst = false) {
      if (!isFirst && after === undefined) throw createUnsupported(`the group "${name}", which no longer exists`)
      after = (await readPage(grouped, parent, { after, limit: maxLimit })).next
    }
    const token = findLevel(grouped, parent).tokens.get(name)
    if (typeof token !== 'string') throw createUnsupported('groups within so many groups')
    return token
  }
  /** Reads `count` groups below those of `path`, from row `start` on. */
  const readGroups = async (
    grouped: GroupedQuery,
    path: readonly string[],
    [start, count]: readonly [start: number, count: number],
  ): Promise<GroupRows> => {
    const { starts } = findLevel(grouped, path)
    let row = Math.max(...[...starts.keys()].filter((first) => first <= start))
    for (;;) {
      const limit = row === start ? count : Math.min(maxLimit, start - row)
      const { page, groups, next } = await readPage(grouped, path, { after: starts.get(row), limit })
      if (next !== undefined) starts.set(row + groups.length, next)
      if (row === start) return { page, groups, isLast: next === undefined }
      if (next === undefined) return { page, groups: [], isLast: true }
      row += groups.length
    }
  }
  return { openGroup, readGroups }
}
