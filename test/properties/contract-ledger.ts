import { or as either, eq, sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { everyRow } from '../../lib/index.ts'
import { defineTable } from '../../tables/identity.ts'
import type { ContractOptions } from '../support/contract/contract-subject.ts'

const ledger = pgTable('ledger', {
  id: integer().primaryKey(),
  state: text().notNull(),
  amount: integer(),
  shared: boolean().notNull(),
})

const common = {
  name: 'ledger',
  from: ledger,
  key: 'id',
  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' } },
    state: { label: { en: 'State', ar: 'الولاية' } },
    amount: { label: { en: 'Amount', ar: 'المبلغ' } },
  },
  sortables: ['id', 'state', 'amount'],
  filters: {
    state: { type: 'text', label: { en: 'State', ar: 'الولاية' }, operators: ['=', 'like', 'in'] },
    amount: { type: 'number', label: { en: 'Amount', ar: 'المبلغ' } },
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
  computed: { luck: sql<number>`random() * ${ledger.id}` },
  columns: { ...common.columns, luck: { label: { en: 'Luck', ar: 'الحظ' }, type: 'number' } },
  sortables: ['id', 'luck'],
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
    owner.unsafe(
      'create table ledger (id integer primary key, state text not null, amount integer, shared boolean not null)',
    ),
  values: { state: ['Texas', 'Ohio'] },
  callers: {
    'an analyst': { sees: (row) => row['state'] === 'Texas' },
    'a supervisor': { claims: { role: 'supervisor' } },
  },
}
