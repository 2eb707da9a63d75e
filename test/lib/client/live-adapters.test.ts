import { describe, expect, it } from 'vitest'
import { muiLive } from '../../../lib/client/adapters/mui-live.ts'
import { type PageChange, watchPages } from '../../../lib/client/adapters/watch-pages.ts'
import { createTableClient } from '../../../lib/client/index.ts'
import type { RowsChange } from '../../../lib/client/live.ts'

const createEmptyClient = () =>
  createTableClient({
    ...{ baseUrl: 'http://127.0.0.1', token: () => 'token' },
    fetch: async () => Response.json({ success: true, items: [], pagination: { total: 0 } }),
  })

interface Row {
  readonly id: number
  readonly note?: string
}

/** A live client of which a test sends the rows, and what was watched by it. */
function createLive() {
  const watched: object[] = []
  const stopped: object[] = []
  let show: (items: readonly Row[], change: RowsChange) => void = () => {}
  const watch = (_table: string, query: object, { onRows }: { onRows: typeof show }) => {
    show = onRows
    watched.push(query)
    return { stop: () => stopped.push(query) }
  }
  /** Shows rows of which some have changed. */
  const send = (items: readonly Row[], changed: readonly number[], isMoved = false) =>
    show(items, { entered: [], changed, left: [], isMoved })
  return { live: { watch }, watched, stopped, send }
}

describe('live rows of MUI X', () => {
  it('keep a row that is edited, and load the page again once the edit has ended', async () => {
    const { live, send } = createLive()
    const editRows: Record<number, object> = { 2: {} }
    const listeners = new Map<string, () => void>()
    const updated: unknown[] = []
    const loads: unknown[] = []
    const grid = {
      state: { editRows },
      updateRows: (rows: readonly unknown[]) => updated.push(...rows),
      dataSource: { cache: { clear: () => {} }, fetchRows: async () => void loads.push('page') },
      subscribeEvent: (event: string, listener: () => void) => {
        listeners.set(event, listener)
        return () => listeners.delete(event)
      },
    }
    const { client } = muiLive(createEmptyClient(), live, () => grid as never)
    await client.queryTable('orders', {})
    send([], [])
    const rows = [
      { id: 1, note: 'a' },
      { id: 2, note: 'b' },
    ]
    send(rows, [1, 2])
    send([...rows].reverse(), [], true)
    expect([updated, loads]).toEqual([[rows[0]], []])
    listeners.get('cellModesModelChange')?.()
    expect(loads).toEqual([])
    delete editRows[2]
    listeners.get('rowModesModelChange')?.()
    expect([loads, listeners.size]).toEqual([['page'], 0])
    send(rows, [2])
    expect(updated).toEqual(rows)
  })
})

describe('pages that are watched', () => {
  /** A service whose response waits until it is released, and has the rows of the time of its request. */
  function createHeldService() {
    const state = { rows: [{ id: 1, note: 'a' }] as readonly Row[] }
    const held: (() => void)[] = []
    const client = {
      ...createEmptyClient(),
      queryTable: async () => {
        const items = state.rows
        await new Promise<void>((release) => held.push(release))
        return { items, pagination: { total: items.length } } as never
      },
    }
    const { live, ...sent } = createLive()
    const changes: PageChange[] = []
    const { client: watched, stop } = watchPages(client, live, (change) => changes.push(change))
    const begin = (query: object = {}, table = 'orders') =>
      (watched.queryTable as (...asked: unknown[]) => Promise<unknown>)(table, query, {})
    const load = (...asked: Parameters<typeof begin>) => {
      const page = begin(...asked)
      held.pop()?.()
      return page
    }
    return { ...sent, state, held, changes, stop, begin, load }
  }

  it('are loaded again with the rows that have come while the request was under way', async () => {
    const { state, held, changes, send, begin, load } = createHeldService()
    await load()
    send(state.rows, [])
    const late = begin()
    const rows = [
      { id: 1, note: 'b' },
      { id: 2, note: 'c' },
    ]
    send(rows, [1], true)
    held.pop()?.()
    expect(await late).toEqual({ items: rows, pagination: { total: 2 } })
    expect(changes).toHaveLength(1)
    state.rows = [{ id: 1, note: 'd' }]
    expect(await load()).toMatchObject({ items: state.rows })
  })

  it('are not those of a request that began before they were stopped', async () => {
    const { held, watched, stopped, stop, begin, load } = createHeldService()
    const late = [begin({ page: 1 }), begin({ page: 1 }, 'others')]
    stop('orders')
    for (const release of held) release()
    await Promise.all(late)
    expect([watched, stopped]).toEqual([[{ page: 1 }], []])
    await load({ page: 2 })
    expect(watched).toEqual([{ page: 1 }, { page: 2 }])
  })

  it('are asked for without the parts of a query that a subscription does not take', async () => {
    const { watched, load } = createHeldService()
    await load({ page: 1, include: ['version', 'selection'], explain: 'auto', count: 'none', group: null })
    expect(watched).toEqual([{ page: 1, include: ['version'] }])
  })

  it.each([{ group: 'token' }, { cursor: 'next' }, { perPage: 101 }])('are none of %j', async (query) => {
    const { watched, load } = createHeldService()
    await load(query)
    expect(watched).toEqual([])
  })
})
