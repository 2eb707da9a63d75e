import { boolean, integer, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The rows that actions change. Archived orders are in no caller's scope. */
export const orders = pgTable('orders', {
  id: integer().primaryKey(),
  tenant: text().notNull(),
  title: text().notNull(),
  state: text().notNull(),
  assignee: text(),
  /** How often an action has changed the row. */
  runs: integer().notNull(),
  flagged: boolean().notNull(),
  amount: numeric({ precision: 12, scale: 2 }),
  due: timestamp({ withTimezone: true, mode: 'string' }),
})

/** One row more than an instant export may hold. */
export const lines = pgTable('lines', {
  id: integer().primaryKey(),
  label: text().notNull(),
  state: text().notNull(),
  hits: integer().notNull(),
})

const lineCount = 3_001

export const workDdl = `
  create table orders (
    id integer primary key, tenant text not null, title text not null, state text not null, assignee text,
    runs integer not null default 0, flagged boolean not null default false, amount numeric(12, 2), due timestamptz);
  create table lines (
    id integer primary key, label text not null, state text not null default 'new', hits integer not null default 0);
`

/** Orders 1 to 8 are open and 9 to 12 done, all of the tenant north; 13 to 16 are open and of the tenant south. */
export const orderRows = `
  insert into orders (id, tenant, title, state, amount, due)
  select id, case when id <= 12 then 'north' else 'south' end,
    case when id <= 12 then 'Order ' else 'Secret order ' end || id,
    case when id between 9 and 12 then 'done' else 'open' end, id + 0.5, timestamptz '2026-01-01 22:30Z' + id * interval '1 day'
  from generate_series(1, 16) as id;
`

export const lineRows = `
  insert into lines (id, label) select id, 'Line ' || id from generate_series(1, ${lineCount}) as id;
`
