import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

/** Each leads to where the row's title says. */
const leaving = defineFixture({
  ...ofOrders,
  name: 'leaving',
  columns: orderColumns,
  rowActions: {
    inside: { type: 'redirect', to: ({ title }) => title },
    outside: { type: 'external_redirect', to: ({ title }) => title },
    document: { onSuccess: 'downloadData', run: ({ row: { title } }) => ({ data: { url: title, filename: 'a.pdf' } }) },
  },
  bulkActions: {
    documents: {
      onSuccess: 'downloadData',
      run: ({ rows }) => ({ data: rows[0]?.title }),
      conclude: ({ data }) => ({ data: { url: data[0], filename: 'a.pdf' } }),
    },
  },
})
const tables = api.variant({}, createRegistry([leaving], { claims: fixtureClaims }))

/** Returns where a client of a row with this title is sent, as the row and as the responses of the actions say it. */
async function targets(title: string): Promise<ReadonlySet<string>> {
  await api.sql`update orders set title = ${title} where id = 2`
  const { actions, row } = (await tables.post('row-refetch/leaving/2')).json.data.row
  const called = await Promise.all(
    ['inside', 'outside'].map(async (key) => (await tables.post(`row-table-action/leaving/${key}/2`)).json),
  )
  const downloads = await Promise.all([
    tables.post('row-table-action/leaving/document/2'),
    tables.post('bulk-table-action/leaving/documents', { selected_ids: [2] }),
  ])
  const entries = [actions.inside, actions.outside, row.actions.inside, row.actions.outside, ...called]
  return new Set([
    ...entries.flatMap(({ redirect_routes }) => [redirect_routes.api, redirect_routes.web]),
    ...downloads.flatMap(({ json: { data } }) => [data.url, data.file]),
  ])
}

describe('the target of a redirect or a download', () => {
  it.each([
    'https://example.test/a?b=c#d',
    'HTTP://example.test',
    'mailto:someone@example.test',
    'tel:+20212345678',
    '/orders/2',
    'orders/2',
    '?page=2',
    '#details',
    '//example.test/orders',
    'طلبات/٢',
  ])('stays as its author wrote it: %s', async (target) => {
    expect(await targets(target)).toEqual(new Set([target]))
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' \u0001javascript:alert(1)',
    'java\tscript\n:alert(1)',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://example.test/1',
    'view-source:https://example.test',
  ])('leads nowhere instead of running a script in the page of the client: %j', async (target) => {
    expect(await targets(target)).toEqual(new Set(['!#']))
  })

  it('may be the file of a download itself, and leads nowhere in a redirect', async () => {
    const file = 'data:text/csv,a;b'
    expect(await targets(file)).toEqual(new Set(['!#', file]))
    expect((await tables.post('row-table-action/leaving/document/2')).json.data).toMatchObject({ url: file, file })
  })
})
