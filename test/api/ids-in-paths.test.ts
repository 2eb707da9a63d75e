import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { documentRows } from '../support/fixtures/fixture-rows.ts'

const api = await startFixtureApi()

const paths = documentRows.map(({ path }) => path)
const segment = (path: string) => `~${Buffer.from(path).toString('base64url')}`

async function detailsUrl(path: string): Promise<string> {
  const { json } = await api.post('multi-row-refetch/redeclared', { row_ids: [path] })
  return json.items[0].actions.show_details.action.api
}

describe('text keys in paths', () => {
  it.each(paths)('the URL in the row’s own actions reaches the row again: %j', async (path) => {
    const url = await detailsUrl(path)
    const { pathname, search, hash } = new URL(url)
    const last = pathname.split('/').at(-1)
    expect(url).toBe(`${publicUrl}/api/api-table/control-tables/row-table-action/redeclared/show_details/${last}`)
    expect([search, hash]).toEqual(['', ''])
    expect((await api.post(`row-refetch/documents/${last}`)).json.data?.row).toMatchObject({ id: path, path })
  })

  it.each(paths)('any key may travel as "~" and base64url: %j', async (path) => {
    expect((await api.post(`row-refetch/documents/${segment(path)}`)).json.data?.row.id).toBe(path)
  })

  it.each(['a', 'a b', 'عربي', 'a+b', 'a&b=c', 'a;b', 'a,b', 'it\'s "it"', '😀', '__proto__'])(
    'keys without special characters stand in URLs percent-encoded only: %j',
    async (path) => {
      expect((await detailsUrl(path)).endsWith(`/${encodeURIComponent(path)}`)).toBe(true)
    },
  )

  it.each(['a/b', 'a?b', 'a#b', 'a%b', 'a%2Fb', '~a', '~', '', '.', '..', 'عربي/فرع'])(
    'keys that a path would change travel as base64url: %j',
    async (path) => {
      expect((await detailsUrl(path)).endsWith(`/${segment(path)}`)).toBe(true)
    },
  )

  it.each(['~!!!', '~YQ!', '~Y', '~gA'])('%s is the key of no row', async (path) => {
    expectFailure(await api.post(`row-refetch/documents/${path}`), { status: 404, code: 'row_not_found' })
    const action = await api.post(`row-table-action/redeclared/show_details/${path}`)
    expectFailure(action, { status: 404, code: 'row_not_found' })
  })

  it('are never decoded twice', async () => {
    expect((await api.post('row-refetch/documents/a%252Fb')).json.data.row.id).toBe('a%2Fb')
    expectFailure(await api.post('row-refetch/documents/a%25252Fb'), { status: 404, code: 'row_not_found' })
  })

  it('a key cut at its "?" by the gateway is the key before it, which is why URLs do not carry it so', async () => {
    expect((await api.post('row-refetch/documents/a%3Fb')).json.data.row.id).toBe('a')
  })

  it('the web URL of a row is the same path without /api', async () => {
    const { json } = await api.post('row-refetch/tasks/1')
    const { action, bulk_actions_url } = json.data.row.actions.mark_done
    expect(action.web).toBe(action.api.replace('/api/', '/'))
    expect(action.api).toBe(`${publicUrl}/api/api-table/control-tables/row-table-action/tasks/mark_done/1`)
    expect(bulk_actions_url.api).toBe(`${publicUrl}/api/api-table/control-tables/row-bulk-table-action/tasks/mark_done`)
  })

  it.each(['9007199254740993', '-9007199254740995', '9223372036854775807'])(
    'big ids keep every digit in URLs: %s',
    async (id) => {
      const { json } = await api.post(`row-refetch/ledger/${id}`)
      expect(json.data.row.actions.show_details.action.api.endsWith(`/${id}`)).toBe(true)
    },
  )
})
