import { eq, sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  date,
  inet,
  integer,
  numeric,
  type PgColumnBuilderBase,
  pgSchema,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, undoBy } from '../../lib/index.ts'
import { encodePathId } from '../../lib/rows/row-id.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'

const role = pgSchema('Staff').enum('UserRole', ['Guest', 'Admin', "O'Neil"])

interface KeyType {
  readonly builder: PgColumnBuilderBase
  readonly sqlType: string
  /**
   * The keys of a row of south, then of two rows of north. drizzle's modes `number` and `date` make one value of the
   * first two.
   */
  readonly keys: readonly [string, string, string]
  /** Ids that no row has. */
  readonly odd: readonly string[]
}

const large = '123456789012345678901234567890.12345678'
const types: Readonly<Record<string, KeyType>> = {
  bigint: {
    builder: bigint({ mode: 'number' }),
    sqlType: 'bigint',
    keys: ['9007199254740992', '9007199254740993', '9223372036854775807'],
    odd: ['9223372036854775808', '1e3', 'x'],
  },
  numeric: {
    builder: numeric({ mode: 'number' }),
    sqlType: 'numeric',
    keys: [`${large}8`, `${large}9`, 'NaN'],
    odd: ['1e3', 'nan', 'x', '-Infinity'],
  },
  timestamp: {
    builder: timestamp(),
    sqlType: 'timestamp',
    keys: ['2026-01-31 10:00:00.123456', '2026-01-31 10:00:00.123457', '0044-03-15 10:00:00 BC'],
    odd: ['x', 'now', '2026-02-29 10:00:00', '2026-01-31 24:00:00', '294277-01-01 00:00:00', '0000-01-01 00:00:00'],
  },
  instant: {
    builder: timestamp({ withTimezone: true }),
    sqlType: 'timestamptz',
    keys: ['2026-01-31 10:00:00.123456+00', '2026-01-31 10:00:00.123457+00', 'infinity'],
    odd: ['x', 'today', '2026-13-45 10:00:00+00', '2026-01-31 10:00:00+99', '4715-01-01 00:00:00+00 BC'],
  },
  date: {
    builder: date({ mode: 'date' }),
    sqlType: 'date',
    keys: ['0044-03-15', '0044-03-15 BC', 'infinity'],
    odd: ['x', 'today', '2026-02-30', '2100-02-29', '2026-00-10', '5874898-01-01', '1'],
  },
  bigserial: {
    builder: bigserial({ mode: 'number' }),
    sqlType: 'bigint',
    keys: ['9007199254740992', '9007199254740993', '5'],
    odd: ['x', '1.5'],
  },
  text: {
    builder: text(),
    sqlType: 'text',
    keys: ['x', `https://a.test/${'x'.repeat(1_500)}`, 'y'.repeat(2_704)],
    odd: ['x'.repeat(2_705), 'X'],
  },
  inet: { builder: inet(), sqlType: 'inet', keys: ['10.0.0.1', '10.0.0.2', '10.0.0.0/8'], odd: ['x', '10.0.0.1/32'] },
  enum: { builder: role(), sqlType: '"Staff"."UserRole"', keys: ['Guest', 'Admin', "O'Neil"], odd: ['guest', 'x'] },
}

function define(name: string, { builder }: KeyType) {
  const from = pgTable(`kept_${name}`, {
    id: (builder as ReturnType<typeof text>).primaryKey(),
    tenant: text().notNull(),
    title: text().notNull(),
    role: role().notNull(),
    runs: integer().notNull(),
  })
  const runs = { runs: sql`${from.runs} + 1` }
  return defineFixture({
    name: `kept_${name}`,
    from,
    key: 'id',
    scope: ({ identity }) => eq(from.tenant, identity.claims.tenant),
    columns: {
      id: { label: 'ID' },
      title: { label: 'Title', editable: true },
      role: { label: 'Role', editable: true },
      runs: { label: 'Runs' },
    },
    filters: { role: { label: 'Role', type: 'multi_select' } },
    rowActions: {
      run: {
        bulk: true,
        preview: true,
        run: async ({ db, where }) => {
          await db.update(from).set(runs).where(where)
          return { undo: {} }
        },
        undo: undoBy(z.object({}), async ({ db, where }) => {
          await db.update(from).set({ runs: 0 }).where(where)
        }),
      },
      run_all: {
        bulk: true,
        runAll: async ({ db, where }) => {
          await db.update(from).set(runs).where(where)
        },
      },
      refuse_last: {
        bulk: true,
        runAll: async ({ ids }) => [{ id: ids.at(-1) ?? '', text: { en: 'No', ar: 'لا' } }],
      },
      refuse_number: {
        bulk: true,
        runAll: async ({ rows }) => rows.map(({ id }) => ({ id, text: { en: 'No', ar: 'لا' } })),
      },
    },
    bulkActions: {
      run: {
        chunk: 2,
        run: async ({ db, where }) => {
          await db.update(from).set(runs).where(where)
        },
      },
    },
  })
}

const tables = Object.entries(types).map(([name, type]) => define(name, type))
const work = await startImportApi(createRegistry(tables, { claims: fixtureClaims }))
await work.sql.unsafe(`create schema "Staff"; create type "Staff"."UserRole" as enum ('Guest', 'Admin', 'O''Neil');
  grant usage on schema "Staff" to ${serviceLogin.user}`)
for (const [name, { sqlType }] of Object.entries(types))
  await work.sql.unsafe(`create table kept_${name}
    (id ${sqlType} primary key, tenant text not null, title text not null, role "Staff"."UserRole" not null, runs integer not null);
    grant select, update on kept_${name} to ${serviceLogin.user}`)

describe.each(Object.keys(types))('keys of the type %s', (name) => {
  const { sqlType, keys, odd } = types[name] as KeyType
  const [, own] = keys
  const table = `kept_${name}`
  const ids = keys.slice(1)
  const path = (action: string) => `row-bulk-table-action/${table}/${action}`
  const list = async (value: string) => {
    const rows = await work.sql.unsafe(`select format('%s', id) as id, ${value} as value from ${table}`)
    return keys.map((key) => rows.find(({ id }) => id === key)?.['value'])
  }
  const undo = (response: { readonly undo: { readonly url: string } }) =>
    work.post(new URL(response.undo.url).pathname.split('/control-tables/')[1] ?? '', {})

  beforeEach(async () => {
    await work.sql.unsafe(`delete from ${table}`)
    for (const [index, key] of keys.entries())
      await work.sql.unsafe(
        `insert into ${table} values ($1::text::${sqlType}, ${index === 0 ? "'south'" : "'north'"}, 'as it was', 'Guest', 0)`,
        [key],
      )
  })

  it.each(['run', 'run_all'])(
    'an action by %s changes the row of its path alone, and an undo the same',
    async (action) => {
      const { status, json, text: body } = await work.post(`row-table-action/${table}/${action}/${encodePathId(own)}`)
      expect(status, body).toBe(200)
      expect(json.data.row).toMatchObject({ id: own, runs: 1 })
      expect(await list('runs')).toEqual([0, 1, 0])
      if (action === 'run_all') return
      expect((await undo(json)).json.counts).toEqual({ succeeded: 1, failed: 0 })
      expect(await list('runs')).toEqual([0, 0, 0])
    },
  )

  it.each(['run', 'run_all'])('an action by %s changes each selected row, and so does its plan', async (action) => {
    const changed = await work.post(path(action), { selected_ids: ids })
    expect(changed.json.counts, changed.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('runs')).toEqual([0, 1, 1])
    const { json } = await work.post(path(action), { selected_ids: ids, plan: true })
    expect(json.plan).toMatchObject({ rows: 2, applicable: 2, refused: [] })
    const applied = await work.post(path(action), { plan_id: json.plan.id })
    expect(applied.json.counts, applied.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('runs')).toEqual([0, 2, 2])
  })

  it('an edit changes the row of its path alone, and its undo and its history are those of that row', async () => {
    const edited = await work.post(`row-table-action/${table}/update_cells/${encodePathId(own)}`, {
      cells: { title: 'edited', role: 'Admin' },
    })
    expect(edited.json.data?.row, edited.text).toMatchObject({ id: own, title: 'edited', role: 'Admin' })
    expect(await list('title')).toEqual(['as it was', 'edited', 'as it was'])
    const { json: history } = await work.get(`history/${table}/${encodePathId(own)}`)
    expect(history.changes[0].cells).toMatchObject([
      { field: 'role', before: { value: 'Guest' }, after: { value: 'Admin' } },
      { field: 'title', before: { value: 'as it was' }, after: { value: 'edited' } },
    ])
    const undone = await undo(edited.json)
    expect(undone.json.counts, undone.text).toEqual({ succeeded: 1, failed: 0 })
    expect(await list('title')).toEqual(['as it was', 'as it was', 'as it was'])
    expect(await list('role')).toEqual(['Guest', 'Guest', 'Guest'])
  })

  it('an edit of several rows is planned, applied and undone in each of them', async () => {
    const { json } = await work.post(path('update_cells'), {
      selected_ids: ids,
      cells: { title: 'edited', role: 'Admin' },
      plan: true,
    })
    expect(json.plan.sample).toMatchObject(ids.map((id) => ({ id, after: { title: 'edited' } })))
    const applied = await work.post(path('update_cells'), { plan_id: json.plan.id })
    expect(applied.json.counts, applied.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('title')).toEqual(['as it was', 'edited', 'edited'])
    const undone = await undo(applied.json)
    expect(undone.json.counts, undone.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('title')).toEqual(['as it was', 'as it was', 'as it was'])
  })

  it.each([
    ['some rows', { selected_ids: ids }],
    ['all rows', {}],
    ['all but one row', { select_all: true, excluded_ids: [keys[2]] }],
  ])('an action of the toolbar changes %s', async (_, body) => {
    const isPart = 'excluded_ids' in body
    const { json, text: sent } = await work.post(`bulk-table-action/${table}/run`, body)
    expect(json.counts, sent).toEqual({ selected: isPart ? 1 : 2, succeeded: isPart ? 1 : 2, failed: 0 })
    expect(await list('runs')).toEqual([0, 1, isPart ? 0 : 1])
  })

  it('an import changes the rows of its file', async () => {
    const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'from a file'
      findCell(sheet, 'Title', 3).value = 'from a file'
      findCell(sheet, 'Role', 3).value = 'Admin'
    })
    const sent = await work.send(edited, { table })
    expect(sent.json.plan?.counts, sent.text).toMatchObject({ change: 3, conflict: 0, refused: 0 })
    const applied = await work.apply(sent, { table })
    expect(applied.json.counts, applied.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('title')).toEqual(['as it was', 'from a file', 'from a file'])
    expect((await undo(applied.json)).json.counts).toEqual({ succeeded: 2, failed: 0 })
    expect(await list('title')).toEqual(['as it was', 'as it was', 'as it was'])
  })

  it('a refusal of one row by its id is that of this row', async () => {
    const { json } = await work.post(path('refuse_last'), { selected_ids: ids })
    expect(json.results).toMatchObject([
      { id: ids[0], success: true },
      { id: ids[1], success: false, code: 'action_failed' },
    ])
  })

  it('an id that no row has is not found, and hinders no other row', async () => {
    for (const id of odd) {
      const { status, json } = await work.post(`row-refetch/${table}/${encodePathId(id)}`)
      expect([id, status, json.code]).toEqual([id, 404, 'row_not_found'])
    }
    const several = await work.post(`multi-row-refetch/${table}`, { row_ids: [own, ...odd] })
    expect(several.json.items, several.text).toMatchObject([{ id: own }])
    expect(several.json.missing).toEqual(odd)
    const { json } = await work.post(`bulk-table-action/${table}/run`, { selected_ids: [own, ...odd] })
    expect([json.counts, json.not_found]).toEqual([{ selected: 1, succeeded: 1, failed: 0 }, odd])
  })

  it('finds the rows of one key and of several', async () => {
    for (const id of ids) {
      const { json, text: sent } = await work.post(`row-refetch/${table}/${encodePathId(id)}`)
      expect(json.data?.row.id, sent).toBe(id)
    }
    const { json } = await work.post(`multi-row-refetch/${table}`, { row_ids: ids })
    expect(json.items.map(({ id }: { readonly id: unknown }) => id)).toEqual(ids)
    const filtered = await work.post(`query-table/${table}`, { filters: { role: { value: ['Guest', 'Admin'] } } })
    expect(filtered.json.items, filtered.text).toHaveLength(2)
  })
})

it('a refusal by a number that several keys are rounded to is that of all of them', async () => {
  const keys = ['9007199254740992', '9007199254740993']
  await work.sql`delete from kept_bigint`
  for (const key of keys) await work.sql`insert into kept_bigint values (${key}, 'north', '', 'Guest', 0)`
  const { json } = await work.post('row-bulk-table-action/kept_bigint/refuse_number', { selected_ids: keys })
  expect(json.results).toMatchObject(keys.map((id) => ({ id, code: 'action_failed' })))
})

it.each([
  ['text', 'long '.repeat(2_000)],
  ['enum', 'Later'],
])('an action on all rows, and its plan, change one whose %s no id may be', async (name, key) => {
  await work.sql`alter type "Staff"."UserRole" add value if not exists 'Later'`
  const table = work.sql(`kept_${name}`)
  await work.sql`delete from ${table}`
  await work.sql`insert into ${table} values (${key}, 'north', '', 'Guest', 0)`
  const run = (body: object) => work.post(`bulk-table-action/kept_${name}/run`, body)
  expect((await run({ select_all: true })).json.success).toBe(true)
  const { json } = await run({ select_all: true, plan: true })
  const { status, text } = await run({ plan_id: json.plan.id })
  expect(status, text).toBe(200)
  expect(await work.sql`select runs from ${table}`).toEqual([{ runs: 2 }])
})
