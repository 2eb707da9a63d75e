import type { SQL } from 'drizzle-orm'
import { inet, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TransactionSession } from '../../lib/db/database-session.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'

const work = await startImportApi()
beforeEach(() => work.reset())

describe('an edit that a rule of the database is about', () => {
  const was = pgTable('was', { id: integer().primaryKey(), code: text(), note: text(), host: inet() })
  const shown = pgTable('was_shown', { id: integer().primaryKey(), note: text() })
  const registry = createRegistry(
    [
      defineFixture({
        name: 'was_shown',
        from: shown,
        key: 'id',
        scope: everyRow,
        columns: { note: { label: 'Note', editable: true } },
      }),
      defineFixture({
        name: 'was',
        from: was,
        key: 'id',
        scope: everyRow,
        columns: {
          code: { label: 'Code', editable: true },
          note: { label: 'Note', editable: true },
          host: { label: 'Host', editable: true },
        },
        rowActions: {
          raise: { bulk: true, run: async ({ db, where }) => db.update(was).set({ note: 'raise' }).where(where) },
        },
      }),
    ],
    { claims: fixtureClaims },
  )
  const served = work.variant({}, registry)
  const act = (action: string, body: object) =>
    served.post(`row-bulk-table-action/was/${action}`, { selected_ids: [1, 2], ...body })

  beforeAll(() =>
    work.sql.unsafe(`
      create table was (id integer primary key, code text, note text, host inet) partition by range (id);
      create table was_low partition of was for values from (0) to (10);
      alter table was_low add constraint low_code unique (code);
      create table links (code text references was_low (code) on update restrict);
      insert into was select id, 'code ' || id from generate_series(1, 3) as id;
      insert into links values ('code 3');
      create function rule() returns trigger language plpgsql as $$ begin
        if new.id > 1 or new.note = 'fits' then return new; end if;
        if new.note = 'late' then raise query_canceled; end if;
        if new.note = 'raise' then raise exception 'row % is secret', new.id; end if;
        if new.note = 'code' then raise exception 'row % is secret', new.id using errcode = 'MY001'; end if;
        if new.note = 'divide' then perform 1 / (new.id - new.id); end if;
        if new.note = 'others' then update was set host = '::1' where id <> new.id; return new; end if;
        return case when new.note = 'keep' then old end;
      end $$;
      create trigger rule before update on was for each row execute function rule();
      create view was_shown as select id, note from was where note <> 'hidden' with check option;
      grant select, update on was, was_shown to ${serviceLogin.user}`),
  )

  it.each([
    ['raise', 'Note: is not allowed by a rule of the database; use another value'],
    ['code', 'Note: is not allowed by a rule of the database; use another value'],
    ['divide', 'Note: is not valid'],
    ['leave out', 'Note: is kept as it is by a rule of the database; use another value'],
    ['keep', 'Note: is kept as it is by a rule of the database; use another value'],
  ])('is refused in the row that its trigger does not change (%s)', async (note, text) => {
    const { json } = await act('update_cells', { cells: { note } })
    const [refused, changed] = json.results
    expect([refused, changed]).toMatchObject([
      { id: 1, code: note === 'divide' ? 'validation_failed' : 'conflicting_data' },
      { id: 2, success: true },
    ])
    expect(refused.errors[0]).toBe(text)
    expect(await work.sql`select note from was where id < 3 order by id`).toMatchObject([{ note: null }, { note }])
  })

  it('changes each row of several whose trigger changes the others', async () => {
    const { json } = await act('update_cells', { cells: { note: 'others' } })
    expect(json.results).toMatchObject([{ success: true }, { success: true }])
    expect(await work.sql`select note, host from was where id = 2`).toEqual([{ note: 'others', host: '::1' }])
  })

  it('is refused if a view would lose the row by it', async () => {
    const { json } = await served.post('row-table-action/was_shown/update_cells/2', { cells: { note: 'hidden' } })
    expect(json).toMatchObject({
      code: 'conflicting_data',
      fields: { 'cells.note': ['is not allowed by a rule of the database; use another value'] },
    })
  })

  it('is not blamed for the failure of a statement that took too long', async () => {
    expectFailure(await act('update_cells', { cells: { note: 'late' } }), { status: 504, code: 'timed_out' })
  })

  it('names the column alone whose values only Postgres can read', async () => {
    const { json } = await act('update_cells', { cells: { code: 'new', note: 'fits', host: 'nowhere' } })
    expect(json.results[0]).toMatchObject({
      id: 1,
      code: 'validation_failed',
      errors: ['Host: is not valid', 'Host: غير صالح'],
    })
  })

  it('is refused with one text for any action, and without that of the trigger', async () => {
    const { json, text } = await act('raise', {})
    expect(json.results).toMatchObject([
      { id: 1, code: 'conflicting_data' },
      { id: 2, success: true },
    ])
    expect(json.results[0].errors[0]).toBe('A rule of the database does not allow the change; use other values')
    expect(text).not.toContain('secret')
  })

  it.each([
    [2, { code: 'code 3', note: 'new' }, 'is already used by another row; use another value'],
    [3, { code: 'new', note: 'new' }, 'must agree with the rows that refer to it or that it refers to'],
  ])('names the column alone that a constraint of a partition is about (row %d)', async (id, cells, text) => {
    const refused = await served.post(`row-table-action/was/update_cells/${id}`, { cells })
    expectFailure(refused, { status: 422, code: 'conflicting_data' })
    expect(refused.json.fields).toEqual({ 'cells.code': [text] })
  })
})

describe('a deferred constraint', () => {
  const ranks = pgTable('ranks', { id: integer().primaryKey(), place: integer() })
  const first = {
    bulk: true,
    run: async ({ db, where }: { db: TransactionSession; where: SQL }) =>
      db.update(ranks).set({ place: 9 }).where(where),
  } as const
  const registry = createRegistry(
    [
      defineFixture({
        name: 'ranks',
        from: ranks,
        key: 'id',
        scope: everyRow,
        columns: { place: { label: 'Place', editable: true } },
        rowActions: { first, first_previewed: { ...first, preview: true } },
      }),
    ],
    { claims: fixtureClaims },
  )
  const served = work.variant({}, registry)
  const act = (action: string, body: object = {}) =>
    served.post(`row-bulk-table-action/ranks/${action}`, { selected_ids: [1, 2], ...body })

  beforeAll(() =>
    work.sql.unsafe(`
      create table ranks (id integer primary key, place integer unique deferrable initially deferred);
      grant select, update on ranks to ${serviceLogin.user}`),
  )
  beforeEach(() =>
    work.sql.unsafe('delete from ranks; insert into ranks select id, id from generate_series(1, 3) as id'),
  )

  it.each([
    ['update_cells', { cells: { place: 9 } }],
    ['first_previewed', {}],
  ])('refuses only the rows that it forbids (%s)', async (action, body) => {
    const { json } = await act(action, body)
    expect(json.results).toMatchObject([
      { id: 1, success: true },
      { id: 2, code: 'conflicting_data' },
    ])
    expect(await work.sql`select place from ranks order by id`).toMatchObject([
      { place: 9 },
      { place: 2 },
      { place: 3 },
    ])
  })

  it('names the column of a cell that it forbids', async () => {
    const refused = await served.post('row-table-action/ranks/update_cells/1', { cells: { place: 3 } })
    expectFailure(refused, { status: 422, code: 'conflicting_data', field: 'cells.place' })
  })

  it('undoes all rows of an action that may have effects outside of the database', async () => {
    expectFailure(await act('first'), { status: 422, code: 'conflicting_data' })
    expect(await work.sql`select id from ranks where place = 9`).toEqual([])
  })
})

describe('an imported row', () => {
  const deferred = `create function few_runs() returns trigger language plpgsql as
      $$ begin if new.runs < 100 then return new; end if; raise exception 'too many'; end $$;
    create constraint trigger few_runs after update on orders deferrable initially deferred
      for each row execute function few_runs()`
  const trigger = `create function few_runs() returns trigger language plpgsql as
      $$ begin return case when new.runs < 100 then new end; end $$;
    create trigger few_runs before update on orders for each row execute function few_runs()`

  it.each([
    [
      'a constraint',
      'alter table orders add constraint few_runs check (runs < 100)',
      'alter table orders drop constraint few_runs',
    ],
    ['a trigger', trigger, 'drop function few_runs cascade'],
    ['a deferred trigger', deferred, 'drop function few_runs cascade'],
  ])('is refused alone where %s of the database does not take its value', async (_, created, dropped) => {
    await work.sql.unsafe(created)
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        for (const row of [2, 3, 4, 5]) findCell(sheet, 'Runs', row).value = row === 4 ? 1_000 : row
      }),
    )
    const { json } = await work.apply(sent)
    await work.sql.unsafe(dropped)
    expect(json).toMatchObject({ counts: { succeeded: 3, failed: 1 }, results: [{ id: 3, code: 'conflicting_data' }] })
    expect(await work.runs(1, 2, 3, 4)).toEqual([2, 3, 0, 5])
  })
})
