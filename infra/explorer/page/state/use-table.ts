import { useEffect, useRef } from 'react'
import { clientIn } from '../service/client.ts'
import type { ListedTable, Pagination } from '../service/wire.ts'
import { session } from './session.ts'
import { useStore } from './store.ts'
import { useLoaded } from './use-loaded.ts'
import type { View } from './view.ts'

/** The tables that the caller may load. */
export function useTables({ language }: View) {
  const { token } = useStore(session)
  return useLoaded(token && `${language} ${token}`, (signal) => clientIn(language).tables({ signal }))
}

/** The structure of the view's table, in the view's language. */
export function useStructure({ table, params, language }: View, entry: ListedTable | undefined) {
  const { token } = useStore(session)
  const name = entry?.tableName ?? ''
  const key = token && entry && JSON.stringify([table, name, params, language, token])
  return useLoaded(key, (signal) => clientIn(language).loadTable(name, { params: nonEmptyParams(params), signal }))
}

/** Returns undefined for empty params: a table may take none. */
const nonEmptyParams = (params: View['params']) => (Object.keys(params).length > 0 ? params : undefined)

const furthestOffset = 50

/**
 * The rows of the view. Further out than some pages, and where the number of rows is no promise, the way on is the cursor of
 * the page before, which neither counts again nor slows down; an address that begins there is read by its number.
 */
export function useRows(view: View) {
  const { token } = useStore(session)
  const { table, filters, sorts, page, perPage, params, language } = view
  const query = JSON.stringify({ filters, sorts, perPage, row_actions: 'keys', params: nonEmptyParams(params) })
  const cursors = useRef(new Map<string, Pagination>())
  const place = (at: number) => `${token} ${table} ${query} ${at}`
  const rows = useLoaded(token && table && `${place(page)} ${language}`, (signal) => {
    const before = cursors.current.get(place(page - 1))
    const isFar = page > furthestOffset || (before?.total_kind ?? 'exact') !== 'exact'
    const cursor = isFar ? before?.next_cursor : undefined
    const asked = { ...JSON.parse(query), page, ...(cursor && { cursor }) }
    const answer = clientIn(language).queryTable(table ?? '', asked, { signal })
    return answer.then((rows) => ({ ...rows, place: place(page) }))
  })
  const { answer } = rows
  useEffect(() => {
    if (answer !== undefined) cursors.current.set(answer.place, answer.pagination)
  }, [answer])
  return { ...rows, isOfView: answer?.place === place(page) }
}
