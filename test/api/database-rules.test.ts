import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
afterAll(() => work.stop())

describe('an edit that a rule of the database is about', () => {
  const was = pgTable('was', { id: integer().primaryKey(), code: text(), note: text() })
  const registry = createRegistry(
    [
      defineFixture({
        ...{ name: 'was', from: was, key: 'id', scope: everyRow },
        columns: { code: { label: 'Code', editable: true }, note: { label: 'Note', editable: true } },
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
      create table was (id integer primary key, code text, note text) partition by range (id);
      create table was_low partition of was for values from (0) to (10);
      alter table was_low add constraint low_code unique (code);
      create table links (code text references was_low (code) on update restrict);
      insert into was select id, 'code ' || id from generate_series(1, 3) as id;
      insert into links values ('code 3');
      create function rule() returns trigger language plpgsql as $$ begin
        if new.id > 1 or new.note = 'fits' then return new; end if;
        if new.note = 'raise' then raise exception 'row % is secret', new.id; end if;
        return case when new.note = 'keep' then old end;
      end $$;
      create trigger rule before update on was for each row execute function rule();
      grant select, update on was to ${serviceLogin.user}`),
  )

  it.each([
    ['raise', 'Note: is not allowed by a rule of the database; use another value'],
    ['leave out', 'Note: is kept as it is by a rule of the database; use another value'],
    ['keep', 'Note: is kept as it is by a rule of the database; use another value'],
  ])('is refused in the row that its trigger does not change (%s)', async (note, text) => {
    const { json } = await act('update_cells', { cells: { note } })
    const [refused, changed] = json.results
    expect([refused, changed]).toMatchObject([
      { id: 1, code: 'conflicting_data' },
      { id: 2, success: true },
    ])
    expect(refused.errors[0]).toBe(text)
    expect(await work.sql`select note from was where id < 3 order by id`).toMatchObject([{ note: null }, { note }])
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
