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

/**
 * The groups of the view, page after page. A page begins where the one before ended, so the way back is kept here and not in the
 * address.
 */
export function useGroups(view: View, structure: Structure, round: number) {
  const { token } = useStore(session)
  const { table = '', language } = view
  const aggregates = view.totals.filter(({ field }) => findColumn(structure, field) !== undefined)
  const asked = { ...queryRows(view), group_by: writeGroupBy(view.groupBy), aggregates }
  const question = JSON.stringify([token, language, nameRows(view), asked])
  const [way, setWay] = useState<{ readonly question: string; readonly ends: readonly string[] }>()
  const ends = way?.question === question ? way.ends : []
  const after = ends.at(-1)
  const groups_page = { limit: groupsPerPage, ...(after !== undefined && { after }) }
  const loaded = useLoaded(token && JSON.stringify([question, after, round]), (signal) =>
    clientIn(language)
      .queryTable(table, { ...asked, groups_page, perPage: 1, count: 'none' } as object, { signal })
      .then(({ groups, groups_next: next, partial }) => ({ groups, next: next ?? undefined, partial })),
  )
  const { response } = loaded
  const setEnds = (next: readonly string[]) => setWay({ question, ends: next })
  return {
    ...loaded,
    groups: response?.groups ?? [],
    isSlow: response?.partial?.includes('groups') === true,
    pageNumber: ends.length + 1,
    next: response?.next === undefined ? undefined : () => setEnds([...ends, response.next ?? '']),
    previous: ends.length === 0 ? undefined : () => setEnds(ends.slice(0, -1)),
  }
}

/** Names a group by its values, such as "1998 · Texas". */
export const groupName = ({ keys }: ShownGroup, missing: string): string =>
  keys.map(({ value, text }) => (value === null ? missing : text || '–')).join(' · ')
