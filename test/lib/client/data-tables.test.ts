import { expect, it } from 'vitest'
import { dataTablesAjax } from '../../../lib/client/adapters/data-tables.ts'
import { createTableClient } from '../../../lib/client/index.ts'

interface AskedPage {
  readonly search?: string
  readonly facets?: readonly string[]
}

/** A table that is drawn on a service whose responses wait, each until it is released with a status. */
function createTable() {
  const asked: AskedPage[] = []
  const responses: PromiseWithResolvers<number>[] = []
  const client = createTableClient({
    baseUrl: 'http://127.0.0.1',
    token: () => 'token',
    fetch: async (_, init) => {
      const response = Promise.withResolvers<number>()
      responses.push(response)
      const page: AskedPage = JSON.parse(String(init?.body))
      asked.push(page)
      const status = await response.promise
      const facets = page.facets && { state: { options: [], more: false } }
      return Response.json(
        { success: true, items: [], pagination: { total: 0, next_cursor: null }, bindings: {}, facets },
        { status },
      )
    },
  })
  const errors: unknown[] = []
  const shown: unknown[] = []
  const ajax = dataTablesAjax(client, 'orders', { panes: ['state'], onError: (error) => errors.push(error) })
  const settings = {}
  const columns = [{ data: 'state', name: '', search: { value: '', regex: false, fixed: [] } }]
  /** Draws the rows of a search. Resolves when the request is under way. */
  const draw = async (value: string) => {
    const page = { draw: asked.length + 1, start: 0, length: 10, columns, search: { value, regex: false } }
    const at = asked.length
    ajax.call({} as never, page as never, (response) => shown.push(response), settings as never)
    await expect.poll(() => asked.length).toBe(at + 1)
  }
  const release = async (at: number, status = 200) => {
    responses[at]?.resolve(status)
    await new Promise(setImmediate)
  }
  return { asked, errors, shown, draw, release }
}

it('a request of DataTables is ended by the next one, and its error is not shown', async () => {
  const { errors, shown, draw, release } = createTable()
  await draw('a')
  await draw('b')
  await release(1)
  await release(0, 400)
  expect(shown).toMatchObject([{ draw: 2 }])
  expect(errors).toEqual([])
  await draw('c')
  await release(2, 400)
  expect(shown[1]).toMatchObject({ draw: 3, error: expect.any(String) })
  expect(errors).toMatchObject([{ status: 400 }])
})

it('the panes of DataTables get the options of a search again that was left before they came', async () => {
  const { asked, draw, release } = createTable()
  await draw('a')
  await release(0)
  await draw('b')
  await draw('a')
  await release(1)
  await release(2)
  await draw('b')
  expect(asked.map(({ search, facets }) => [search, facets])).toEqual([
    ['a', ['state']],
    ['b', ['state']],
    ['a', undefined],
    ['b', ['state']],
  ])
})
