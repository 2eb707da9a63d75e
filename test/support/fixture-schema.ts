import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const productCategory = pgEnum('product_category', ['tool', 'food', 'toy'])

export const countries = pgTable('countries', {
  code: text().primaryKey(),
  name: text().notNull(),
})

export const suppliers = pgTable('suppliers', {
  id: integer().primaryKey(),
  name: text().notNull(),
  country: text(),
})

export const products = pgTable('products', {
  id: integer().primaryKey(),
  tenant: text().notNull(),
  name: text().notNull(),
  category: productCategory(),
  price: numeric({ precision: 20, scale: 4 }),
  stock: integer(),
  weight: doublePrecision(),
  active: boolean(),
  supplier_id: integer(),
  made_on: date(),
  sold_at: timestamp({ withTimezone: true, mode: 'string' }),
  note: text(),
  tags: text().array(),
  code: uuid(),
})

/** Keys that no JavaScript number holds, and amounts that none holds either. */
export const ledger = pgTable('ledger', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  amount: numeric(),
  units: bigint({ mode: 'bigint' }),
})

/** Keys that no URL carries as they are. */
export const documents = pgTable('documents', {
  path: text().primaryKey(),
  title: text().notNull(),
})

export const devices = pgTable('devices', {
  serial: uuid().primaryKey(),
  label: text(),
})

/** Moments around midnight of a time zone that is not the database's. */
export const visits = pgTable('visits', {
  id: integer().primaryKey(),
  at: timestamp({ withTimezone: true, mode: 'string' }),
  clock: timestamp({ mode: 'string' }),
  day: date(),
})

/** One row with a value of every kind, one with none at all. */
export const samples = pgTable('samples', {
  id: integer().primaryKey(),
  short: text(),
  markup: text(),
  exact: numeric(),
  real: doublePrecision(),
  big: bigint({ mode: 'bigint' }),
  flag: boolean(),
  day: date(),
  at: timestamp({ withTimezone: true, mode: 'string' }),
  words: text().array(),
  counts: bigint({ mode: 'bigint' }).array(),
  picture: text(),
  address: text(),
  details: jsonb().$type<{ readonly color: string }>(),
  unit: uuid(),
})

export const productValue = sql<string | null>`${products.price} * ${products.stock}`

/** Creates the tables above; the database of a test starts empty. */
export const fixtureDdl = `
  create type product_category as enum ('tool', 'food', 'toy');
  create table countries (code text primary key, name text not null);
  create table suppliers (id integer primary key, name text not null, country text references countries);
  create table products (
    id integer primary key, tenant text not null, name text not null, category product_category,
    price numeric(20, 4), stock integer, weight double precision, active boolean,
    supplier_id integer references suppliers, made_on date, sold_at timestamptz, note text, tags text[], code uuid);
  create table ledger (id bigint primary key, amount numeric, units bigint);
  create table documents (path text primary key, title text not null);
  create table devices (serial uuid primary key, label text);
  create table visits (id integer primary key, at timestamptz, clock timestamp, day date);
  create table samples (
    id integer primary key, short text, markup text, exact numeric, real double precision, big bigint, flag boolean,
    day date, at timestamptz, words text[], counts bigint[], picture text, address text, details jsonb, unit uuid);
`
