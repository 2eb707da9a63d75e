import { describe, expect, it } from 'vitest'
import { agGridLive } from '../../../lib/client/adapters/ag-grid-live.ts'
import { muiLive } from '../../../lib/client/adapters/mui-live.ts'
import { type PageChange, watchPages } from '../../../lib/client/adapters/watch-pages.ts'
import { createTableClient } from '../../../lib/client/index.ts'
import type { RowsChange, WatchState } from '../../../lib/client/live.ts'

const createEmptyClient = () =>
  createTableClient({
    baseUrl: 'http://127.0.0.1',
    token: () => 'token',
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
  let enter: (state: WatchState) => void = () => {}
  const watch = (_table: string, query: object, handlers: { onRows: typeof show; onState: typeof enter }) => {
    show = handlers.onRows
    enter = handlers.onState
    watched.push(query)
    return { stop: () => stopped.push(query) }
  }
  /** Shows rows of which some have changed. */
  const send = (items: readonly Row[], changed: readonly number[], isMoved = false) =>
    show(items, { entered: [], changed, left: [], isMoved })
  return { live: { watch }, watched, stopped, send, enter: (state: WatchState) => enter(state) }
}

describe('live rows of AG Grid', () => {
  it('watch a page again that the service has ended, when the grid loads it again', async () => {
    const states: ((state: WatchState) => void)[] = []
    const watch = (_table: string, _query: object, { onState }: { onState: (state: WatchState) => void }) => {
      states.push(onState)
      return { stop: () => {} }
    }
    const { client } = agGridLive(createEmptyClient(), { watch }, () => expect.unreachable('nothing has changed'))
    const load = () => client.queryTable('orders', {})
    await load()
    await load()
    expect(states).toHaveLength(1)
    states[0]?.('ended')
    await load()
    expect(states).toHaveLength(2)
  })
})

describe('live rows of MUI X', () => {
  /** A grid on a page of rows, with the edits that it keeps. */
  function createGrid(items: readonly Row[] = []) {
    const { live, send } = createLive()
    const state = { rows: items, service: items, wait: async () => {} }
    const editRows: Record<number, object> = {}
    const listeners = new Map<string, () => void>()
    const updated: unknown[] = []
    const loads: unknown[] = []
    const grid = {
      state: { editRows },
      getRow: (id: unknown) => state.rows.find((row) => String(row.id) === String(id)) ?? null,
      updateRows: (rows: readonly unknown[]) => updated.push(...rows),
      dataSource: { cache: { clear: () => {} }, fetchRows: async () => void loads.push('page') },
      subscribeEvent: (event: string, listener: () => void) => {
        listeners.set(event, listener)
        return () => listeners.delete(event)
      },
    }
    const client = {
      ...createEmptyClient(),
      queryTable: async () => {
        await state.wait()
        return { items: state.service, pagination: { total: 2 } } as never
      },
    }
    const watched = muiLive(client, live, () => grid as never)
    const load = (query: object) => (watched.client.queryTable as (...asked: unknown[]) => unknown)('orders', query)
    const endEdit = (id: number) => {
      delete editRows[id]
      listeners.get('rowModesModelChange')?.()
    }
    return { state, editRows, listeners, updated, loads, send, load, endEdit, stop: watched.stop }
  }

  const rows = [
    { id: 1, note: 'a' },
    { id: 2, note: 'b' },
  ]

  it('keep a row that is edited, and load the page again once the edit has ended', async () => {
    const { editRows, listeners, updated, loads, send, load, endEdit } = createGrid(rows)
    await load({})
    send(rows, [])
    editRows[2] = {}
    send(rows, [1, 2])
    send([...rows].reverse(), [], true)
    expect([updated, loads]).toEqual([[rows[0]], []])
    listeners.get('cellModesModelChange')?.()
    expect(loads).toEqual([])
    endEdit(2)
    expect([loads, listeners.size]).toEqual([['page'], 0])
    send(rows, [2])
    expect(updated).toEqual(rows)
  })

  it('load no page while one is loaded, which then has the rows that have come', async () => {
    const { state, loads, send, load } = createGrid(rows)
    await load({})
    send(rows, [])
    const { promise, resolve } = Promise.withResolvers<void>()
    state.wait = () => promise
    const page = load({})
    const moved = [...rows].reverse()
    send(moved, [], true)
    expect(loads).toEqual([])
    resolve()
    expect(await page).toMatchObject({ items: moved })
    send(rows, [], true)
    expect(loads).toEqual(['page'])
  })

  it('are no rows of a page that the grid has left', async () => {
    const { state, updated, loads, send, load } = createGrid(rows)
    await load({ page: 1 })
    send(rows, [])
    state.rows = [{ id: 3 }]
    send(rows, [1, 2])
    expect([updated, loads]).toEqual([[], []])
  })

  it('load a page again although an edit of a row on another page is open', async () => {
    const { state, editRows, listeners, loads, send, load } = createGrid(rows)
    await load({ page: 1 })
    send(rows, [])
    editRows[2] = {}
    send([...rows].reverse(), [], true)
    expect(loads).toEqual([])
    state.rows = [{ id: 3 }]
    state.service = state.rows
    await load({ page: 2 })
    send(state.rows, [])
    send([{ id: 4 }], [], true)
    expect([loads, listeners.size]).toEqual([['page'], 0])
  })

  it('keep a row whose edit begins while its page is loaded, and load the page again once it has ended', async () => {
    const { state, editRows, loads, load, endEdit } = createGrid(rows)
    state.service = rows.map((row) => ({ ...row, note: 'of another caller' }))
    editRows[2] = {}
    expect(await load({})).toMatchObject({ items: [state.service[0], rows[1]] })
    expect(loads).toEqual([])
    endEdit(2)
    expect(loads).toEqual(['page'])
    expect(await load({})).toMatchObject({ items: state.service })
  })

  it('are not loaded after they were stopped', async () => {
    const { editRows, listeners, loads, send, load, endEdit, stop } = createGrid(rows)
    await load({})
    send(rows, [])
    editRows[2] = {}
    send([...rows].reverse(), [], true)
    stop()
    expect(listeners.size).toBe(0)
    endEdit(2)
    expect(loads).toEqual([])
  })
})

describe('pages that are watched', () => {
  /** A service whose response waits until it is released, and has the rows of the time of its request. */
  function createHeldService(maxPages?: number) {
    const state = { rows: [{ id: 1, note: 'a' }] as readonly Row[], isDown: false }
    const held: (() => void)[] = []
    const client = {
      ...createEmptyClient(),
      queryTable: async () => {
        const items = state.rows
        await new Promise<void>((release) => held.push(release))
        if (state.isDown) throw new Error('no response')
        return { items, pagination: { total: items.length } } as never
      },
    }
    const { live, ...sent } = createLive()
    const changes: PageChange[] = []
    const { client: watched, stop } = watchPages(client, live, (change) => changes.push(change), maxPages)
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

  it('are those that the grid has asked for last, although an earlier response came later', async () => {
    const { held, watched, stopped, begin } = createHeldService(1)
    const left = begin({ page: 2 })
    const shown = begin({ page: 1 })
    held[1]?.()
    await shown
    held[0]?.()
    await left
    expect([watched, stopped]).toEqual([[{ page: 1 }], []])
  })

  it('are compared with the rows of the latest request when the live rows begin', async () => {
    const { state, held, changes, send, begin } = createHeldService()
    const old = begin()
    state.rows = [{ id: 1, note: 'b' }]
    const pages = [begin(), old]
    for (const release of held) release()
    await Promise.all(pages)
    send(state.rows, [])
    expect(changes).toEqual([])
  })

  it('are loaded again after a failure, with the next change or when the connection is back', async () => {
    const { state, changes, send, enter, begin, held, load } = createHeldService()
    await load()
    send(state.rows, [])
    const fail = async () => {
      state.isDown = true
      const page = begin()
      held.pop()?.()
      await expect(page).rejects.toThrow('no response')
    }
    await fail()
    send([{ id: 1, note: 'b' }], [1])
    expect(changes).toMatchObject([{ ids: [1], isMoved: true }])
    enter('live')
    expect(changes).toHaveLength(1)
    await fail()
    enter('live')
    expect(changes[1]).toEqual({ table: 'orders', changed: [], isMoved: true, ids: [] })
    send([{ id: 1, note: 'c' }], [1])
    expect(changes[2]).toMatchObject({ isMoved: false })
  })

  it('are not those of a table that was stopped, nor of its requests that were under way', async () => {
    const { held, watched, stopped, stop, begin, load } = createHeldService()
    const late = [begin({ page: 1 }), begin({ page: 2 }, 'others')]
    stop('orders')
    for (const release of held) release()
    await Promise.all(late)
    await load({ page: 3 })
    expect([watched, stopped]).toEqual([[{ page: 2 }, { page: 3 }], []])
    stop('orders')
    expect(stopped).toEqual([{ page: 3 }])
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
