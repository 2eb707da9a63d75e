import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Transaction } from '../../lib/db/transaction.ts'
import { createRegistry, refuse } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

type Session = Transaction['drizzle']

/** The statements of the action on order 1 in the present test. */
let change: (db: Session) => Promise<unknown> | unknown

const table = defineFixture({
  ...ofOrders,
  name: 'changing_orders',
  computed: { line_count: sql<string>`(select count(*) from lines)` },
  columns: { ...orderColumns, line_count: { label: 'Lines', type: 'text' } },
  rowActions: { change: { run: async ({ db }) => Object(await change(db)) } },
})

const work = await startWorkApi()
const api = work.variant({}, createRegistry([table], { claims: fixtureClaims }))

const count = async (db: Pick<Session, 'update'>): Promise<void> => {
  await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, 1))
}
const act = (headers = {}) => api.post('row-table-action/changing_orders/change/1', {}, { headers })
const countAudited = async () => (await work.audit()).map(({ outcome, rows }) => [outcome, rows])

/** After one run with a single statement, the statements after the action are sent together with it. */
beforeEach(async () => {
  await work.reset()
  change = count
  for (let run = 0; run < 2; run++) expect((await act()).json.data.row).toMatchObject({ runs: run + 1 })
  await work.sql`delete from table_control.audit`
})

describe('an action that has so far run one statement is audited once and returns the final row', () => {
  it('if it runs one statement more', async () => {
    expect((await act()).json.data.row).toMatchObject({ id: 1, runs: 3 })
    expect(await work.runs(1)).toEqual([3])
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it('if it runs several statements', async () => {
    change = async (db) => {
      await count(db)
      await count(db)
    }
    for (const runs of [4, 6]) expect((await act()).json.data.row).toMatchObject({ runs })
    change = count
    for (const runs of [7, 8]) expect((await act()).json.data.row).toMatchObject({ runs })
    expect(await countAudited()).toHaveLength(4)
  })

  it('if it runs no statement', async () => {
    change = () => undefined
    expect((await act()).json.data.row).toMatchObject({ runs: 2 })
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it('if its work waits for something else after its statement', async () => {
    change = async (db) => {
      await count(db)
      await work.sql`delete from lines`
      await sleep(1)
    }
    expect((await act()).json.data.row).toMatchObject({ runs: 3, line_count: '0' })
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it('if it rolls a savepoint back', async () => {
    change = async (db) => {
      const undone = async (inner: Session) => {
        await count(inner)
        throw new Error('not this')
      }
      await db.transaction(undone).catch(() => undefined)
      await count(db)
    }
    expect((await act()).json.data.row).toMatchObject({ runs: 3 })
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it('follows a savepoint of its own text that was rolled back', async () => {
    change = async (db) => {
      await db.execute(sql`/* mine */ savepoint mine`)
      await count(db)
      await db.execute(sql`rollback to savepoint mine`)
    }
    expect((await act()).json.data.row).toMatchObject({ runs: 2 })
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it('shows no row if the action returns that none is to be shown', async () => {
    change = async (db) => {
      await count(db)
      return { onSuccess: 'reload' }
    }
    expect((await act()).json).not.toHaveProperty('data')
    expect(await work.runs(1)).toEqual([3])
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })
})

describe('an action that has so far run one statement changes nothing and is audited once', () => {
  it.each<[string, typeof change, string]>([
    [
      'where it refuses after its statement',
      async (db) => {
        await count(db)
        throw refuse({ en: 'No', ar: 'لا' }, 'refused_here')
      },
      'refused_here',
    ],
    [
      'where its statement fails',
      (db) =>
        db
          .update(orders)
          .set({ id: 2 })
          .where(eq(orders.id, 1))
          .then(() => undefined),
      'conflicting_data',
    ],
  ])('%s', async (_, changing, code) => {
    change = changing
    expect((await act()).json.code).toBe(code)
    expect(await work.runs(1)).toEqual([2])
    expect(await countAudited()).toEqual([[code, 0]])
  })
})

describe('a statement that its action does not await', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['', {}],
    [' of a request with a key', { 'idempotency-key': 'a-key-of-its-own' }],
  ])('is refused once the action has returned, which is audited once%s', async (_, headers) => {
    const refused = Promise.withResolvers<unknown>()
    change = (db) => {
      setImmediate(() => count(db).then(refused.reject, refused.resolve))
    }
    expect((await act(headers)).json.data.row).toMatchObject({ runs: 2 })
    expect(await refused.promise).toMatchObject({ message: expect.stringMatching(/^a statement was run after /) })
    expect(await work.runs(1)).toEqual([2])
    expect(await countAudited()).toEqual([['succeeded', 1]])
  })

  it.each<[string, typeof change]>([
    ['as its only one', (db) => void slow(db)],
    [
      'behind another one',
      async (db) => {
        await count(db)
        void slow(db)
      },
    ],
  ])('undoes the action where it is still under way, %s', async (_, changing) => {
    change = async (db) => {
      await changing(db)
      await immediate()
    }
    expect((await act()).json.code).toBe('internal_error')
    expect(await work.runs(1)).toEqual([2])
    expect(await countAudited()).toEqual([['internal_error', 0]])
  })
})

const slow = (db: Session) =>
  db.update(orders).set({ runs: oneMore }).where(sql`${orders.id} = 1 and pg_sleep(0.3) is not null`).execute()
