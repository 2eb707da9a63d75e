import { expect, it } from 'vitest'
import { createRegistry, notify } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()

const telling = defineFixture({
  ...ofOrders,
  name: 'telling',
  columns: {},
  rowActions: {
    tell: {
      run: ({ db, row }) =>
        notify(db, [
          {
            subject: 'noel',
            title: { en: 'Told\0', ar: 'قيل' },
            body: { en: `Order ${row.id} \ud800`, ar: 'طلب' },
            data: { limit: 2n ** 64n, note: 'a\0b' },
          },
        ]),
    },
  },
})
const { post } = api.serve(createRegistry([telling], { claims: fixtureClaims }))

it('notify stores what Postgres cannot hold without it, and large numbers as text', async () => {
  expect((await post('row-table-action/telling/tell/2')).status).toBe(200)
  expect(await api.sql`select subject, level, title, body, data from table_control.notifications`).toEqual([
    {
      subject: 'noel',
      level: 'info',
      title: { en: 'Told', ar: 'قيل' },
      body: { en: 'Order 2 \uFFFD', ar: 'طلب' },
      data: { limit: '18446744073709551616', note: 'ab' },
    },
  ])
})
