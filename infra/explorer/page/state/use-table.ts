import { useEffect, useRef } from 'react'
import { deployment, ownPath } from '../service/deployment.ts'
import { send } from '../service/send.ts'
import type { Pagination, Rows, Structure, TableEntry } from '../service/wire.ts'
import { session } from './session.ts'
import { useStore } from './store.ts'
import { useLoaded } from './use-loaded.ts'
import type { View } from './view.ts'

/** The tables that the caller may load. */
export function useTables({ language }: View) {
  const { token } = useStore(session)
  return useLoaded(token && `${language} ${token}`, async (signal) => {
    const { tables } = await send<{ tables: readonly TableEntry[] }>(deployment.base, { language, signal, quiet: true })
    return tables
  })
}

/** The structure of the view's table, in the view's language. */
export function useStructure({ table, params, language }: View, entry: TableEntry | undefined) {
  const { token } = useStore(session)
  const query = new URLSearchParams(params)
  const path = `${entry ? ownPath(entry.load_url) : ''}${query.size > 0 ? `?${query}` : ''}`
  const key = token && entry && JSON.stringify([table, path, language, token])
  return useLoaded(key, (signal) => send<Structure>(path, { language, signal, quiet: true }))
}

const furthestOffset = 50

/**
 * The rows of the view. Further out than some pages, and where the number of rows is no promise, the way on is the cursor of
 * the page before, which neither counts again nor slows down; an address that begins there is read by its number.
 */
export function useRows(view: View) {
  const { token } = useStore(session)
  const { table, filters, sorts, page, perPage, params, language } = view
  const own = Object.keys(params).length > 0 && { params }
  const query = JSON.stringify({ filters, sorts, perPage, row_actions: 'keys', ...own })
  const cursors = useRef(new Map<string, Pagination>())
  const path = `${deployment.base}/query-table/${encodeURIComponent(table ?? '')}`
  const place = (at: number) => `${token} ${table} ${query} ${at}`
  const rows = useLoaded(token && table && `${place(page)} ${language}`, (signal) => {
    const before = cursors.current.get(place(page - 1))
    const isFar = page > furthestOffset || (before?.total_kind ?? 'exact') !== 'exact'
    const cursor = isFar ? before?.next_cursor : undefined
    const body = { ...JSON.parse(query), page, ...(cursor && { cursor }) }
    return send<Rows>(path, { body, language, signal }).then((answer) => ({ ...answer, place: place(page) }))
  })
  const { answer } = rows
  useEffect(() => {
    if (answer !== undefined) cursors.current.set(answer.place, answer.pagination)
  }, [answer])
  return { ...rows, isOfView: answer?.place === place(page) }
}
