import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

// One connection, so that each request finds what the one before has left.
const api = await startWorkApi({ DATABASE_CONNECTIONS: '1', LOG_LEVEL: 'silent' })
beforeEach(() => api.reset())

/** The same statement in an action, after a change, and in a binding, beside the statement of the page. */
function serveStatement(text: string) {
  const shared = { ...ofOrders, columns: { title: { label: 'Title' } } }
  const acting = defineFixture({
    ...shared,
    name: 'acting',
    rowActions: {
      go: {
        run: async ({ db, row }) => {
          await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
          await db.execute(sql.raw(text))
        },
      },
    },
  })
  const bound = defineFixture({
    ...shared,
    name: 'bound',
    bindings: {
      title: async ({ db }) => {
        await db.execute(sql.raw(text))
        return []
      },
    },
  })
  const sound = defineFixture({ ...shared, name: 'sound' })
  return api.serve(createRegistry([acting, bound, sound], { claims: fixtureClaims }))
}

const mistake = { status: 500, json: { code: 'internal_error' } }

describe('a statement of an author', () => {
  it.each([
    'begin',
    '/* of the report */ commit',
    '-- of the report\ncommit',
    ';rollback',
    'rollback work',
    'set search_path to pg_catalog',
    "SET SESSION statement_timeout TO '1ms'",
    'set role pg_monitor',
    'set session characteristics as transaction read only',
    "select set_config('search_path', 'pg_catalog', false)",
    'create temp table orders (id int)',
    'create or replace temporary view orders as select 1 as id',
    'select pg_advisory_lock(5), pg_try_advisory_lock_shared(6)',
    'declare rest cursor with hold for select 1',
    'prepare kept as select 1',
    'deallocate all',
    'discard all',
    'listen anything',
    'copy orders from stdin',
    'copy (select 1) to stdout',
    "select 'a\0b'",
  ])('is refused if it would outlast its request or break its connection: %j', async (text) => {
    const served = serveStatement(text)
    expect(await served.post('row-table-action/acting/go/2')).toMatchObject(mistake)
    expect(await served.post('query-table/bound', {})).toMatchObject(mistake)
    expect(await api.runs(2)).toEqual([0])
    expect(await served.post('query-table/sound', { perPage: 1 })).toMatchObject({ status: 200, json: { items: [{}] } })
  })

  it.each([
    'savepoint mine',
    'set local search_path to public',
    "SET LOCAL statement_timeout TO '7s'",
    'set constraints all deferred',
    "select set_config('statement_timeout', '7s', true)",
    'create temp table scratch (id int) on commit drop',
    'select pg_advisory_xact_lock(5)',
    "select 'begin; set role; discard all'",
  ])('is run if it ends with its transaction: %j', async (text) => {
    expect(await serveStatement(text).post('row-table-action/acting/go/2')).toMatchObject({ status: 200 })
    expect(await api.runs(2)).toEqual([1])
  })

  it('may go back to a savepoint', async () => {
    const table = defineFixture({
      ...ofOrders,
      name: 'acting',
      columns: {},
      rowActions: {
        go: {
          run: async ({ db, row }) => {
            await db.execute(sql`savepoint mine`)
            await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
            await db.execute(sql`rollback to savepoint mine`)
            await db.execute(sql`rollback work to mine`)
          },
        },
      },
    })
    const served = api.serve(createRegistry([table], { claims: fixtureClaims }))
    expect(await served.post('row-table-action/acting/go/2')).toMatchObject({ status: 200 })
    expect(await api.runs(2)).toEqual([0])
  })
})
