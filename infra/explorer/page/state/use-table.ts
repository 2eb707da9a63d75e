import { useEffect, useRef } from 'react'
import { clientIn } from '../service/client.ts'
import type { ListedTable, Pagination, Structure } from '../service/wire.ts'
import { isGrouped, nameRows, queryRows, shapeItems, takeParams } from './asked-rows.ts'
import { session, tokenSubject } from './session.ts'
import { useStore } from './store.ts'
import { useLoaded } from './use-loaded.ts'
import type { View } from './view.ts'

/** The tables that the caller may load. */
export function useTables({ language }: View) {
  const { token } = useStore(session)
  const subject = tokenSubject(token)
  const { response, ...loaded } = useLoaded(token && `${language} ${token}`, async (signal) => {
    const tables = await clientIn(language).tables({ signal })
    return { subject, tables }
  })
  // Another user has other tables.
  return { ...loaded, response: response?.subject === subject ? response.tables : undefined }
}

/** The structure of the view's table, in the view's language. */
export function useStructure({ table, params, language }: View, entry: ListedTable | undefined) {
  const { token } = useStore(session)
  const name = entry?.tableName ?? ''
  const key = token && entry && JSON.stringify([table, name, params, language, token])
  return useLoaded(key, (signal) => clientIn(language).loadTable(name, { ...takeParams({ params }), signal }))
}

const furthestOffset = 50

export interface PlacedRows extends Awaited<ReturnType<ReturnType<typeof clientIn>['queryTable']>> {
  /** Which rows these are. */
  readonly place: string
  /** The name of all rows that match. */
  readonly rowsName: string
  /** The pagination after rows have entered or left. */
  readonly live?: Pagination
}

/**
 * The rows of the view. Far out, and where the number of rows is no promise, the cursor of the page before leads on. An
 * address that begins there is read by its number. Rows have the columns that are on the screen, where the view has
 * chosen them.
 */
export function useRows(view: View, structure: Structure | undefined) {
  const { token } = useStore(session)
  const { table, sorts, page, language } = view
  const rowsName = nameRows(view)
  const perPage = isGrouped(view) ? 1 : view.perPage
  const asked = {
    ...queryRows(view),
    ...shapeItems(view, structure?.columns),
    ...(view.search !== '' && { include: ['matches'] }),
    sorts,
    perPage,
    count: 'auto',
  }
  const query = JSON.stringify(asked)
  const cursors = useRef(new Map<string, Pagination>())
  const place = (at: number) => `${token} ${table} ${query} ${at}`
  // The structure says which columns a view has chosen; a saved view that is not open yet decides everything.
  const isReady = (view.columns.length === 0 || structure !== undefined) && view.saved?.revision !== 0
  const rowsKey = isReady ? token && table && `${place(page)} ${language}` : undefined
  const rows = useLoaded(rowsKey, async (signal): Promise<PlacedRows> => {
    const before = cursors.current.get(place(page - 1))
    // A page that rows have left since is followed by the row after its last one.
    const isShort = before?.to && before.to < (page - 1) * perPage
    const isFar = page > furthestOffset || (before?.total_kind ?? 'exact') !== 'exact' || isShort
    const cursor = isFar ? before?.next_cursor : undefined
    const body = { ...JSON.parse(query), page, ...(cursor && { cursor }) }
    return { ...(await clientIn(language).queryTable(table ?? '', body, { signal })), place: place(page), rowsName }
  })
  const { response } = rows
  useEffect(() => {
    if (response !== undefined) cursors.current.set(response.place, response.pagination)
  }, [response])
  const isOfView = response?.place === place(page)
  return { ...rows, query, page, place: place(page), isOfView, isCounted: response?.rowsName === rowsName }
}

/**
 * Returns the pagination of the view's page. A total that is not exact is counted in a request of its own: once for all
 * pages of the same rows, and again when some have left.
 */
export function usePagination(view: View, { response, isOfView }: ReturnType<typeof useRows>): Pagination | undefined {
  const { token } = useStore(session)
  const { table, language } = view
  const shown = response?.live ?? response?.pagination
  const isOpen = isOfView && shown !== undefined && shown.total_kind !== 'exact'
  const selection = `${token} ${nameRows(view)}`
  // While the next page is loading, the total of the last one still counts.
  const asked = useRef<string>(undefined)
  if (isOfView) asked.current = isOpen ? selection : undefined
  else if (asked.current !== selection) asked.current = undefined
  const { response: counted, reload: countAgain } = useLoaded(token && asked.current, async (signal) => {
    const query: object = queryRows(view)
    // A count that takes too long is no failure of the page.
    const found = await clientIn(language)
      .countRows(table ?? '', query, { signal })
      .catch(() => undefined)
    return { selection, total: found?.total }
  })
  const latest = useRef(response)
  useEffect(() => {
    const before = latest.current
    latest.current = response
    // Rows have left the page, or it was read again.
    if (before?.place === response?.place && before?.pagination !== response?.pagination) countAgain()
  }, [response, countAgain])
  const total = counted?.selection === selection ? counted.total : undefined
  if (!isOpen || total === undefined || total < (shown.to ?? 0)) return shown
  return { ...shown, total, total_kind: 'exact', last_page: Math.max(1, Math.ceil(total / shown.per_page)) }
}
