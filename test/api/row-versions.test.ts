import { sql } from 'drizzle-orm'
import {
  date,
  integer,
  numeric,
  type PgColumnBuilderBase,
  pgTable,
  real,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

// Requests at once need a connection each.
const api = await startWorkApi({ DATABASE_CONNECTIONS: '2' })
beforeEach(() => api.reset())

interface VersionedItem {
  readonly id: number
  readonly _version: string
}

const read = async (...ids: readonly number[]): Promise<readonly VersionedItem[]> =>
  (await api.post('multi-row-refetch/orders', { row_ids: ids, include: ['version'] })).json.items

const readVersion = async (id: number): Promise<string> => (await read(id))[0]?._version ?? ''

const act = (path: string, id: number, body: object = {}, headers: Record<string, string> = {}) =>
  api.post(`row-table-action/${path}/${id}`, body, { headers })

const change = (id: number) => act('orders/flag', id)

describe('a version that would not be checked', () => {
  it.each([
    ['row-table-action/orders/count/1', { Versions: 'stale' }, 'Versions'],
    ['row-table-action/orders/count/1', { expectedVersion: 'stale' }, 'expectedVersion'],
    ['row-table-action/orders/count/1', { version: 'stale' }, 'version'],
    ['row-bulk-table-action/orders/flag', { selected_ids: [1], version: { 1: 'stale' } }, 'version'],
    ['bulk-table-action/bulk_orders/touch', { selected_ids: [1], versions: { 1: 'stale' } }, 'versions'],
    ['bulk-table-action/bulk_orders/touch', { selected_ids: [1], expected_version: 'stale' }, 'expected_version'],
  ])('is refused by %s with %j', async (path, body, field) => {
    expectFailure(await api.post(path, body), { status: 422, code: 'validation_failed', field })
    expect(await api.runs(1)).toEqual([0])
  })

  it('is refused in a header of an action of the toolbar', async () => {
    const refused = await api.post(
      'bulk-table-action/bulk_orders/touch',
      { filters: [] },
      { headers: { 'if-match': '"x"' } },
    )
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'If-Match' })
  })
})

describe('expected_version and If-Match', () => {
  it.each(['body', 'header', 'both'])('let an action run on a row that has not changed, from the %s', async (place) => {
    const version = await readVersion(1)
    const body = place === 'header' ? {} : { expected_version: version }
    const response = await act('orders/count', 1, body, place === 'body' ? {} : { 'if-match': `"${version}"` })
    expect(response.status).toBe(200)
    expect(await api.runs(1)).toEqual([1])
  })

  it('refuse a row that has changed, with the row as it is now and the cells that differ', async () => {
    const version = await readVersion(1)
    await change(1)
    const refused = await act('orders/count', 1, { expected_version: version })
    expectFailure(refused, { status: 422, code: 'row_version_conflict' })
    const [current] = await read(1)
    expect(refused.json.current).toEqual(current)
    expect(refused.json.changed).toEqual([{ field: 'flagged', label: expect.any(String), now: true }])
    expect(await api.runs(1)).toEqual([0])
    const again = await act('orders/count', 1, { expected_version: refused.json.current._version })
    expect(again.status).toBe(200)
  })

  it('list no cells that the version does not cover', async () => {
    const [item] = (await api.post('query-table/orders', { include: ['version'], columns: ['title'], perPage: 1 })).json
      .items
    await change(item.id)
    const refused = await act('orders/count', item.id, { expected_version: item._version })
    expectFailure(refused, { status: 422, code: 'row_version_conflict' })
    expect(refused.json.changed).toEqual([])
  })

  it('say it by the header and by a dry run as well, before the state of the row', async () => {
    const version = await readVersion(2)
    await act('orders/mark_reviewed', 2)
    const byHeader = await act('orders/mark_reviewed', 2, {}, { 'if-match': `"${version}"` })
    const dry = await act('orders/mark_reviewed', 2, { expected_version: version, dry_run: true })
    for (const refused of [byHeader, dry]) expectFailure(refused, { status: 422, code: 'row_version_conflict' })
    expectFailure(await act('orders/mark_reviewed', 2), { status: 422, code: 'action_not_applicable' })
  })

  it('say nothing of rows outside the scope but that they are not there', async () => {
    const version = await readVersion(1)
    const [outside, missing] = await Promise.all(
      [13, 999].map((id) => act('orders/count', id, { expected_version: version })),
    )
    expect([outside?.json.code, missing?.json.code]).toEqual(['row_not_found', 'row_not_found'])
    expect(Object.keys(outside?.json ?? {})).toEqual(Object.keys(missing?.json ?? {}))
    expect(outside?.text).not.toContain('Secret')
  })

  it('let one of two changes of the same version through', async () => {
    const version = await readVersion(3)
    const both = await Promise.all([1, 2].map(() => act('orders/slowly', 3, { expected_version: version })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(both.find(({ status }) => status === 422)?.json.code).toBe('row_version_conflict')
  })

  it.each(['W/"abc"', 'abc', '*', '"abc", "def"', '""', '"a b"'])('refuse the header %j', async (tag) => {
    const refused = await act('orders/count', 1, {}, { 'if-match': tag })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'If-Match' })
    expect(await api.runs(1)).toEqual([0])
  })

  it.each([5, '', 'a b', '"abc"', ['abc'], {}, true])('refuse the value %j', async (version) => {
    const refused = await act('orders/count', 1, { expected_version: version })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'expected_version' })
  })

  it.each(['expectedVersion', 'expected-version', 'Expected_Version'])(
    'are not ignored where they are spelt %s',
    async (key) => {
      expectFailure(await act('orders/count', 1, { [key]: 'abc' }), {
        status: 422,
        code: 'validation_failed',
        field: key,
      })
    },
  )

  it('refuse a header and a body that differ', async () => {
    const [one, other] = await Promise.all([readVersion(1), readVersion(2)])
    const refused = await act('orders/count', 1, { expected_version: one }, { 'if-match': `"${other}"` })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'expected_version' })
  })

  it('repeat the first response to the same request, although the row has changed since', async () => {
    const headers = { 'if-match': `"${await readVersion(1)}"`, 'idempotency-key': 'version-1' }
    const first = await act('orders/count', 1, {}, headers)
    const second = await act('orders/count', 1, {}, headers)
    expect([first.status, second.headers['idempotency-replayed']]).toEqual([200, 'true'])
    const other = await act('orders/count', 1, {}, { ...headers, 'if-match': `"${await readVersion(1)}"` })
    expectFailure(other, { status: 422, code: 'idempotency_key_reused' })
  })
})

describe('versions', () => {
  const actOnRows = (ids: readonly number[], body: object, headers: Record<string, string> = {}) =>
    api.post('row-bulk-table-action/orders/flag', { selected_ids: ids, ...body }, { headers })

  it('leave out rows that have changed, and run on the others', async () => {
    const items = await read(1, 2)
    const versions = Object.fromEntries(items.map(({ id, _version }) => [id, _version]))
    await change(1)
    const { json } = await actOnRows([1, 2, 3, 13], { versions })
    expect(json.results.map(({ id, code }: { id: number; code?: string }) => [id, code])).toEqual([
      [1, 'row_version_conflict'],
      [2, undefined],
      [3, undefined],
      [13, 'row_not_found'],
    ])
    const [current] = await read(1)
    const conflict = { current, changed: [{ field: 'flagged', label: expect.any(String), now: true }] }
    expect(json.results[0]).toMatchObject(conflict)
    expect(json.results[1]).not.toHaveProperty('current')
    const refused = await actOnRows([1], { versions: { 1: versions[1] } })
    expect(refused.json.results[0]).toMatchObject(conflict)
    const dry = await actOnRows([1], { versions: { 1: versions[1] }, dry_run: true })
    expect(dry.json.results[0].code).toBe('row_version_conflict')
    expectFailure(await actOnRows([1], { versions: { 1: versions[1] } }), { status: 422, code: 'row_version_conflict' })
  })

  it.each([
    ['versions', 'abc'],
    ['versions', ['abc']],
    ['versions.1', { 1: 5 }],
    ['versions.2', { 2: 'abc' }],
  ])('are refused at %s for %j', async (field, versions) => {
    expectFailure(await actOnRows([1], { versions }), { status: 422, code: 'validation_failed', field })
  })

  it('are refused with the id that names no row', async () => {
    const response = await api.post('row-bulk-table-action/orders/flag', {
      selected_ids: [1, { toString: null }],
      versions: {},
    })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'selected_ids.1' })
  })

  it('belong to several rows, and expected_version to one', async () => {
    const version = await readVersion(1)
    const refused = [
      [await actOnRows([1], { expected_version: version }), 'expected_version'],
      [await actOnRows([1], {}, { 'if-match': `"${version}"` }), 'If-Match'],
      [await act('orders/flag', 1, { versions: { 1: version } }), 'versions'],
      [await act('orders/flag', 1, { expected_version: version, selected_ids: [1, 2] }), 'expected_version'],
    ] as const
    for (const [response, field] of refused) expectFailure(response, { status: 422, code: 'validation_failed', field })
    expect(await readVersion(1)).toBe(version)
  })
})

describe('a form with a field of the same name', () => {
  const seen: unknown[] = []
  const registry = createRegistry(
    [
      defineFixture({
        name: 'orders',
        from: orders,
        key: 'id',
        scope: everyRow,
        columns: { title: { label: 'Title' } },
        rowActions: {
          release: {
            form: z.object({ expected_version: z.string(), versions: z.array(z.string()).optional() }),
            run: ({ input }) => {
              seen.push(input)
            },
          },
          keep: { form: z.strictObject({ title: z.string() }), run: () => {} },
        },
        computed: { one: sql<number>`1` },
      }),
    ],
    { claims: fixtureClaims },
  )
  const own = api.variant({}, registry)

  it('keeps its field, and If-Match goes on working', async () => {
    const input = { expected_version: 'two point zero', versions: ['1.0'] }
    expect((await own.post('row-table-action/orders/release/1', input)).status).toBe(200)
    expect(seen).toEqual([input])
    const refused = await own.post('row-table-action/orders/release/1', input, { headers: { 'if-match': '"old"' } })
    expectFailure(refused, { status: 422, code: 'row_version_conflict' })
  })

  it('is not shown the key where it has none', async () => {
    const { json } = await own.post('row-refetch/orders/1', { include: ['version'] })
    const body = { title: 'New', expected_version: json.data.row._version }
    expect((await own.post('row-table-action/orders/keep/1', body)).status).toBe(200)
  })
})

describe('the version column of a table', () => {
  const define = (name: string, version: PgColumnBuilderBase) =>
    defineFixture({
      name,
      key: 'id',
      scope: everyRow,
      version: 'version',
      from: pgTable(name, {
        id: integer().primaryKey(),
        title: text().notNull(),
        version: (version as ReturnType<typeof integer>).notNull(),
      }),
      columns: { title: { label: 'Title', editable: true } },
    })
  const kinds: readonly (readonly [type: string, first: string, builder: PgColumnBuilderBase])[] = [
    ['smallint', '32767', smallint()],
    ['numeric(9, 2)', '1.50', numeric({ precision: 9, scale: 2 })],
    [
      'timestamp(0)',
      '2026-01-31 10:00:00',
      timestamp({ precision: 0 }).$onUpdate(() => new Date('2026-01-31T10:00:00Z')),
    ],
    ['timestamptz(2)', '2026-01-31 10:00:00+00', timestamp({ withTimezone: true, precision: 2 })],
  ]

  it.each(kinds)('differs after each edit if it is of the type %s', async (type, first, builder) => {
    const name = `of_${type.replace(/\W+/g, '_')}`
    await api.sql.unsafe(`create table ${name} (id integer primary key, title text not null, version ${type} not null);
      insert into ${name} values (1, 'first', '${first}'); grant select, update on ${name} to ${serviceLogin.user}`)
    const served = api.variant({}, createRegistry([define(name, builder)], { claims: fixtureClaims }))
    const edit = (title: string, version: string) =>
      served.post(
        `row-table-action/${name}/update_cells/1`,
        { cells: { title } },
        { headers: { 'if-match': `"${version}"` } },
      )
    const readRow = async () => (await served.post(`row-refetch/${name}/1`, { include: ['version'] })).json.data.row
    for (const title of ['second', 'third', 'fourth']) {
      const { _version } = await readRow()
      const done = await edit(title, _version)
      expect(done.status, done.text).toBe(200)
      expectFailure(await edit('lost', _version), { status: 422, code: 'row_version_conflict' })
    }
    expect((await readRow()).title).toBe('fourth')
  })

  it.each([
    ['a date', date(), /the version "version" must be a whole or decimal number.* and is date/],
    ['a fraction in binary', real(), /and is real/],
  ])('cannot be %s', (_, builder, fault) => {
    expect(() => createRegistry([define('refused', builder)], { claims: fixtureClaims })).toThrow(fault)
  })
})
