import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()
const db = postgres(api.databaseUrl, { max: 2, onnotice: () => {} })
afterAll(() => db.end({ timeout: 5 }))
beforeEach(async () => {
  await db`update suppliers set country = 'FR' where id in (1, 4)`
  await db`update products set supplier_id = 1, note = null where id = 18`
})

const createTable = (name: string, scope: () => SQL) =>
  defineFixture({
    name,
    from: products,
    key: 'id',
    scope,
    relations: { supplier: { table: suppliers, on: { supplier_id: 'id' } } },
    columns: {
      id: { label: 'ID' },
      note: { label: 'Note', editable: { when: ({ supplier__country }) => supplier__country === 'FR' } },
      supplier__name: { label: 'Supplier' },
      supplier__country: { label: 'Country' },
    },
    rowActions: {
      name_supplier: {
        bulk: true,
        appliesTo: ({ supplier__country }) => supplier__country === 'FR',
        run: async ({ db, where, row }) => {
          await db.update(products).set({ note: row.supplier__name }).where(where)
        },
      },
      close_supplier: {
        appliesTo: ({ supplier__country }) => supplier__country === 'FR',
        run: async ({ db, row }) => {
          await db
            .update(suppliers)
            .set({ country: null })
            .where(eq(suppliers.id, Number(row.supplier_id)))
        },
      },
    },
    bulkActions: {
      name_suppliers: {
        run: async ({ db, where, rows }) => {
          await db.update(products).set({ note: rows[0]?.supplier__name }).where(where)
        },
      },
    },
  })

const french = new QueryBuilder().select({ id: suppliers.id }).from(suppliers).where(eq(suppliers.country, 'FR'))
const scopes: Readonly<Record<string, () => SQL>> = {
  all_products: everyRow,
  listed_products: () => inArray(products.supplier_id, french),
  french_products: () =>
    sql`exists (select from ${suppliers} where ${suppliers.id} = ${products.supplier_id} and ${suppliers.country} = 'FR')`,
}
const tables = Object.entries(scopes).map(([name, scope]) => createTable(name, scope))
// Without a limit to how long a lock is waited for, so that a slow machine has time to look.
const settings = { DATABASE_TIMEOUTS: 'role', DATABASE_CONNECTIONS: '4' }
const served = api.variant(settings, createRegistry(tables, { claims: fixtureClaims }))

describe.each(Object.keys(scopes))('an action that waits for a row of %s', (table) => {
  it.each([
    ['row-table-action', 'name_supplier/18', {}, 'Acme Orient'],
    ['row-bulk-table-action', 'name_supplier', { selected_ids: [18] }, 'Acme Orient'],
    ['bulk-table-action', 'name_suppliers', { selected_ids: [18] }, 'Acme Orient'],
    ['row-table-action', 'update_cells/18', { cells: { note: 'Seen' } }, 'Seen'],
  ])('gets the related row that the row has by then: %s %s', async (endpoint, path, body, note) => {
    const call = () => served.post(`${endpoint}/${table}/${path}`, body)
    const [response] = await sendBehindLock(db, 'update products set supplier_id = 4 where id = 18', [call])
    expect(response?.json).toMatchObject({ success: true })
    expect(await db`select note from products where id = 18`).toEqual([{ note }])
  })

  it('is refused if the related row has changed meanwhile, so that it runs once of two at once', async () => {
    const call = () => served.post(`row-table-action/${table}/close_supplier/18`)
    const responses = await sendBehindLock(db, 'select from products where id = 18 for update', [call, call])
    const code = table === 'all_products' ? 'action_not_applicable' : 'row_not_found'
    expect(responses.map(({ json }) => json.code ?? 'done').toSorted()).toEqual([code, 'done'].toSorted())
  })
})

it.each([
  ['row-table-action', 'update_cells/18', {}],
  ['row-bulk-table-action', 'update_cells', { selected_ids: [18] }],
])(
  'an edit is refused if its row leaves the scope between its lock and its update: %s',
  async (endpoint, path, body) => {
    const call = () => served.post(`${endpoint}/listed_products/${path}`, { ...body, cells: { note: 'Seen' } })
    // The mode allows locks of rows and no updates.
    const meanwhile = 'lock table products in share mode; update suppliers set country = null where id = 1'
    const [response] = await sendBehindLock(db, meanwhile, [call])
    expect(await db`select note from products where id = 18`).toEqual([{ note: null }])
    expect(response?.json).toMatchObject({ success: false, code: 'conflicting_data' })
  },
)
