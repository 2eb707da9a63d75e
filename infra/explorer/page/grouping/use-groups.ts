import { useState } from 'react'
import { clientIn } from '../service/client.ts'
import type { Rows, Structure } from '../service/wire.ts'
import { nameRows, queryRows } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { View } from '../state/view.ts'
import { findColumn, writeGroupBy } from './group-columns.ts'

export type ShownGroup = NonNullable<Rows['groups']>[number]

const groupsPerPage = 200

/** The places at which the shown page of groups and those before it begin, without the first. */
interface Way {
  readonly question: string
  readonly ends: readonly string[]
}

/** The latest one, for a return from the rows of a group. */
let latest: Way | undefined

/**
 * The groups of the view, page after page. A page begins where the one before ended, so the way back is kept here and
 * not in the address.
 */
export function useGroups(view: View, structure: Structure, round: number) {
  const { token } = useStore(session)
  const { table = '', language } = view
  const aggregates = view.totals.filter(({ field }) => findColumn(structure, field) !== undefined)
  const asked = { ...queryRows(view), group_by: writeGroupBy(view.groupBy), aggregates }
  const question = JSON.stringify([token, language, nameRows(view), asked])
  const [way, setWay] = useState(latest)
  const ends = way?.question === question ? way.ends : []
  const after = ends.at(-1)
  const groups_page = { limit: groupsPerPage, ...(after !== undefined && { after }) }
  const place = JSON.stringify([question, after])
  const loaded = useLoaded(token && JSON.stringify([place, round]), async (signal) => {
    const body: object = { ...asked, groups_page, perPage: 1, count: 'none' }
    const { groups, groups_next: next, partial } = await clientIn(language).queryTable(table, body, { signal })
    return { question, place, view, groups, next, partial }
  })
  const { response } = loaded
  const isOfView = response?.question === question
  const isOfPage = response?.place === place
  const next = response?.next ?? undefined
  const setEnds = (next: readonly string[]) => {
    latest = { question, ends: next }
    setWay(latest)
  }
  return {
    ...loaded,
    groups: response?.groups ?? [],
    /** The view that has these groups: while the next one loads, it is the one before. */
    shown: response?.view ?? view,
    isOfView,
    isSlow: response?.partial?.includes('groups') === true,
    pageNumber: ends.length + 1,
    /** Whether there is more than one page of them. */
    isPaged: ends.length > 0 || next !== undefined || (isOfView && !isOfPage),
    next: isOfPage && next !== undefined && (() => setEnds([...ends, next])),
    previous: ends.length > 0 && (() => setEnds(ends.slice(0, -1))),
  }
}

/** Returns what tells a group from the others of a page. */
export const groupKey = ({ keys }: ShownGroup): string => JSON.stringify(keys.map(({ value }) => value))

/** Names a group by its values, such as "1998 · Texas". */
export const groupName = ({ keys }: ShownGroup, missing: string): string =>
  keys.map(({ value, text }) => (value === null ? missing : text || '–')).join(' · ')
