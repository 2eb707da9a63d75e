import { expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { devices, documents, ledger } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const column = { label: { en: 'Key', ar: 'المفتاح' } }

const papers = defineFixture({
  name: 'papers',
  from: documents,
  key: 'path',
  scope: everyRow,
  columns: { path: column },
  rowActions: { read: { run: async ({ db, where }) => ({ read: await db.select().from(documents).where(where) }) } },
  bulkActions: {
    read: {
      chunk: 3,
      run: async ({ db, where }) => ({ data: await db.select().from(documents).where(where) }),
      conclude: ({ data }) => ({ data: { read: data } }),
    },
  },
})

const units = defineFixture({
  name: 'units',
  from: devices,
  key: 'serial',
  scope: everyRow,
  columns: { serial: column },
  rowActions: { read: { run: async ({ db, where }) => ({ read: await db.select().from(devices).where(where) }) } },
})

const accounts = defineFixture({
  name: 'accounts',
  from: ledger,
  key: 'id',
  scope: everyRow,
  columns: { id: column, amount: column },
  rowActions: {
    settle: {
      bulk: true,
      runAll: async ({ db, rows, where }) => {
        const found = await db.select().from(ledger).where(where)
        if (found.length !== rows.length) throw new Error(`${found.length} rows instead of ${rows.length}`)
        await db.update(ledger).set({ amount: '2' }).where(where)
      },
    },
  },
})

const whole = await startFixtureApi()
const api = whole.variant({}, createRegistry([papers, units, accounts], { claims: fixtureClaims }))

const serial = 'b81bc81b-dead-4e5d-abff-90865d1e13b1'

it.each([
  ['papers', "it's%20%22it%22", { path: `it's "it"`, title: `Title of it's "it"` }],
  ['papers', 'a%5Cb', { path: 'a\\b', title: 'Title of a\\b' }],
  ['units', serial.toUpperCase(), { serial, label: null }],
])('the condition of an action on %s/%s selects that row alone', async (table, id, row) => {
  const { json } = await api.post(`row-table-action/${table}/read/${id}`)
  expect(json.read).toEqual([row])
})

it('the condition of a bulk action selects the rows of its chunk', async () => {
  const { json } = await api.post('bulk-table-action/papers/read', {
    selected_ids: ['a', 'a,b', '', 'عربي', '__proto__'],
  })
  const chunks: readonly (readonly { readonly path: string }[])[] = json.data.read
  expect(chunks.map((rows) => rows.length)).toEqual([3, 2])
  expect(chunks.flatMap((rows) => rows.map(({ path }) => path)).sort()).toEqual(['', '__proto__', 'a', 'a,b', 'عربي'])
})

it('the condition of an action selects keys that no JavaScript number holds', async () => {
  const ids = ['9007199254740993', '9223372036854775807']
  const { json } = await api.post('row-bulk-table-action/accounts/settle', { selected_ids: ids })
  expect(json.counts).toMatchObject({ succeeded: 2, failed: 0 })
  const { json: page } = await api.post('query-table/accounts', { sorts: { id: 'asc' } })
  const paid = page.items.filter(({ amount }: { readonly amount: unknown }) => Number(amount) === 2)
  expect(paid.map(({ id }: { readonly id: unknown }) => id)).toEqual(ids)
})
