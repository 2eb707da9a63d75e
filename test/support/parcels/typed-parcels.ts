import { boolean, integer, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { everyRow, tableDefiner } from '../../../lib/index.ts'

export const regions = pgTable('regions', { id: integer().primaryKey(), name: text().notNull() })

const depots = pgTable('depots', { id: integer().primaryKey(), city: text().notNull(), region_id: integer() })

export const parcels = pgTable('parcels', {
  id: integer().primaryKey(),
  weight: integer().notNull(),
  note: text(),
  price: numeric(),
  fragile: boolean().notNull(),
  sent_at: timestamp({ mode: 'string' }).notNull(),
  depot_id: integer(),
})

export interface Claims {
  readonly tenant: string
  readonly states: readonly string[]
  readonly [claim: string]: unknown
}

export const defineTable = tableDefiner<Claims>()

export const label = 'Label'

/** A table without its columns. */
export const base = { name: 'parcels', from: parcels, key: 'id', scope: everyRow } as const

/** A whole table, which compiles as it is. */
export const plain = { ...base, columns: { id: { label } } } as const

export const depot = { table: depots, on: { depot_id: 'id' } } as const

/** A relation with one of its own. */
export const depotInRegion = { ...depot, relations: { region: { table: regions, on: { region_id: 'id' } } } } as const
