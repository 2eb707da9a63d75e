import { or as either, eq, sql } from 'drizzle-orm'
import { boolean, date, integer, pgTable, text } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { everyRow } from '../../lib/index.ts'
import { defineTable } from '../../tables/identity.ts'
import type { ContractOptions } from '../support/contract/contract-subject.ts'

const ledger = pgTable('ledger', {
  id: integer().primaryKey(),
  state: text().notNull(),
  amount: integer(),
  shared: boolean().notNull(),
  booked: date({ mode: 'string' }),
  clerk: integer(),
})

/** Its schema file says that an id is unique, and the database does not. */
const clerks = pgTable('clerks', { id: integer().primaryKey(), name: text().notNull() })

const common = {
  name: 'ledger',
  from: ledger,
  key: 'id',
  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' } },
    state: { label: { en: 'State', ar: 'الولاية' }, search: true },
    amount: { label: { en: 'Amount', ar: 'المبلغ' } },
    booked: { label: { en: 'Booked', ar: 'القيد' } },
  },
  sortables: ['id', 'state', 'amount'],
  filters: {
    state: { type: 'text', label: { en: 'State', ar: 'الولاية' }, operators: ['=', 'like', 'in'] },
    amount: { type: 'number', label: { en: 'Amount', ar: 'المبلغ' } },
    booked: {
      type: 'date',
      label: { en: 'Booked', ar: 'القيد' },
      operators: ['>=', 'between', 'not between', 'within'],
    },
  },
} as const

const ofRole = (role: string | undefined) => (role === 'supervisor' ? everyRow() : eq(ledger.state, 'Texas'))

/** Does what its callers are told: a supervisor sees all, anybody else Texas. */
export const soundLedger = defineTable({ ...common, scope: ({ identity: { claims } }) => ofRole(claims.role) })

/** Shows shared rows of any state to everybody, which its callers do not expect. */
export const leakingLedger = defineTable({
  ...common,
  scope: ({ identity: { claims } }) => either(ofRole(claims.role), eq(ledger.shared, true)) ?? sql`false`,
})

/** Has an order that is another one each time. */
export const unstableLedger = defineTable({
  ...common,
  scope: ({ identity: { claims } }) => ofRole(claims.role),
  // The registry does not find the quoted name.
  computed: { luck: sql<number>`"random"() * ${ledger.id}` },
  columns: { ...common.columns, luck: { label: { en: 'Luck', ar: 'الحظ' }, type: 'number' } },
  sortables: ['id', 'luck'],
})

/** Two moods would be as frequent as before for both callers once in some hundred runs. */
const mood = sql<string>`(array['cheerful', 'gloomy', 'calm', 'tense'])[1 + floor(random() * 4)::integer]`

const moody = {
  ...common,
  scope: ({
    identity: { claims },
  }: {
    readonly identity: { readonly claims: { readonly role?: string | undefined } }
  }) => ofRole(claims.role),
  computed: { mood },
} as const

const moodLabel = { en: 'Mood', ar: 'المزاج' }

/**
 * Searches and groups by a text that is another one each time. No other column is searched, so that each search meets
 * it.
 */
export const moodyLedger = defineTable({
  ...moody,
  columns: {
    ...common.columns,
    state: { label: common.columns.state.label },
    mood: { label: moodLabel, type: 'text', search: true },
  },
})

/** Filters by a text that is another one each time, and shows it nowhere. */
export const moodyFilterLedger = defineTable({
  ...moody,
  filters: {
    mood: {
      type: 'select',
      label: moodLabel,
      options: ['cheerful', 'gloomy', 'calm', 'tense'],
      operators: ['=', '!='],
    },
  },
})

/** Has a relation that finds two rows for some. */
export const doublingLedger = defineTable({
  ...common,
  scope: ({ identity: { claims } }) => ofRole(claims.role),
  relations: { clerk_row: { table: clerks, on: { clerk: 'id' } } },
  columns: { ...common.columns, clerk_row__name: { label: { en: 'Clerk', ar: 'الكاتب' } } },
})

/** Is sorted by a collation that the database has made without its numbers. */
export const unnaturalLedger = defineTable({
  ...common,
  scope: ({ identity: { claims } }) => ofRole(claims.role),
  computed: { number: sql<string>`'Lot ' || ${ledger.id}` },
  columns: {
    ...common.columns,
    number: { label: { en: 'Number', ar: 'الرقم' }, type: 'text', collation: 'natural' },
  },
  sortables: ['number'],
})

/** Cannot show every amount. */
export const failingLedger = defineTable({
  ...common,
  scope: ({ identity: { claims } }) => ofRole(claims.role),
  columns: {
    ...common.columns,
    amount: {
      label: { en: 'Amount', ar: 'المبلغ' },
      format: (amount: number | null) => {
        if (amount === null) throw new Error('there is an amount, is there not?')
        return String(amount)
      },
    },
  },
})

export const ledgerOptions: ContractOptions = {
  fill: (owner: Sql) =>
    owner.unsafe(`
      create table ledger (
        id integer primary key, state text not null, amount integer, shared boolean not null, booked date, clerk integer
      );
      create table clerks (id integer not null, name text not null);
      insert into clerks select place % 6, 'clerk ' || place % 6 from generate_series(1, 12) as place;
      create collation "natural" (provider = icu, locale = 'und');
    `),
  values: { state: ['Texas', 'Ohio'] },
  callers: {
    'an analyst': { sees: (row) => row['state'] === 'Texas' },
    'a supervisor': { claims: { role: 'supervisor' } },
  },
}
