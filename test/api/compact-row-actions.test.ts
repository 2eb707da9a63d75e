import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

const keys = { row_actions: 'keys' }

type Entry = Readonly<Record<string, unknown>> & { readonly url_template: Readonly<Record<string, string>> }

interface CompactItem {
  readonly row: { readonly actions: Readonly<Record<string, object>>; readonly path_id: string }
}

/** The item that a client without `row_actions` gets, made of a compact one and the structure. */
function wholeItem(structure: { readonly rowActions: Readonly<Record<string, Entry>> }, item: CompactItem) {
  const actions = Object.fromEntries(
    Object.entries(item.row.actions).map(([key, own]) => {
      const { url_template: template = {}, form: _, ...entry } = structure.rowActions[key] ?? ({} as Entry)
      const urls = Object.entries(template).map(([guard, url]) => [guard, url.replace('{id}', item.row.path_id)])
      return [key, { ...entry, action: Object.fromEntries(urls), ...own }]
    }),
  )
  return { ...item, row: { actions }, actions }
}

describe('row_actions: "keys"', () => {
  it.each(['tasks', 'deals', 'products', 'redeclared'])(
    'leaves out of the items of %s only what the structure says',
    async (table) => {
      const [structure, whole, compact] = await Promise.all([
        api.get(`load-table/${table}`),
        api.post(`query-table/${table}`),
        api.post(`query-table/${table}`, keys),
      ])
      const items = compact.json.items.map((item: CompactItem) => wholeItem(structure.json, item))
      expect(items).toEqual(whole.json.items)
      expect(items.length).toBeGreaterThan(0)
      expect(compact.json.pagination.total).toBe(whole.json.pagination.total)
    },
  )

  it('keeps what differs between rows, and nothing else', async () => {
    const { items } = (await api.post('query-table/tasks', keys)).json
    const entries = items.flatMap(({ row }: CompactItem) => Object.values(row.actions))
    const members = new Set(entries.flatMap((entry: object) => Object.keys(entry)))
    expect(
      [...members].filter((key) => !/^(toggle_current_value|redirect_routes|copy_value)$/.test(String(key))),
    ).toEqual([])
    expect(items[0]).not.toHaveProperty('actions')
  })

  it('is taken by the endpoints that read rows again', async () => {
    const [first] = (await api.post('query-table/tasks', { ...keys, perPage: 1 })).json.items
    const one = await api.post(`row-refetch/tasks/${first.row.path_id}`, keys)
    const several = await api.post('multi-row-refetch/tasks', { ...keys, row_ids: [first.id] })
    expect([one.json.data.row, several.json.items[0]]).toEqual([first, first])
  })

  it.each(['keys', '"keys"'])('is taken by load-table as %s in the query, where it is no param', async (value) => {
    const [loaded, page] = await Promise.all([
      api.get(`load-table/tasks/true?row_actions=${encodeURIComponent(value)}`),
      api.post('query-table/tasks', keys),
    ])
    expect(loaded.json.data).toEqual(page.json.items)
    expect(JSON.stringify(loaded.json.rowActions)).not.toContain('row_actions')
  })

  it.each(['whole', 'Keys', 5, true, ['keys'], {}])('cannot be %j', async (value) => {
    const refused = await api.post('query-table/tasks', { row_actions: value })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'row_actions' })
  })

  it.each(['load-table/tasks', 'load-table/tasks/false', 'load-table/tasks/true'])(
    'is refused by %s if it is misspelt, with and without rows',
    async (path) => {
      const refused = await api.get(`${path}?row_actions=key`)
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'row_actions' })
    },
  )

  it('means nothing where it is null', async () => {
    const [plain, withNull] = await Promise.all([
      api.post('query-table/tasks'),
      api.post('query-table/tasks', { row_actions: null }),
    ])
    expect(withNull.json.items).toEqual(plain.json.items)
  })

  it.each(['row', 'actions'])('says where actions are, also where ITEM_ACTIONS is %s', async (place) => {
    const { json } = await api.variant({ ITEM_ACTIONS: place }).post('query-table/tasks', keys)
    expect(Object.keys(json.items[0].row)).toEqual(['actions', 'path_id'])
    expect(json.items[0]).not.toHaveProperty('actions')
  })
})
