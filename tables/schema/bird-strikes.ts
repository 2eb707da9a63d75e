import { boolean, date, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { searchIndex } from './search-index.ts'

/**
 * Reports to the FAA of aircraft that hit wildlife, and how far each report has been worked on. Costs are in US
 * dollars.
 */
export const birdStrikes = pgTable(
  'bird_strikes',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    airport_name: text().notNull(),
    aircraft_model: text(),
    damage: text().notNull(),
    flight_date: date({ mode: 'string' }).notNull(),
    operator: text(),
    origin_state: text(),
    phase: text(),
    wildlife_size: text(),
    species: text(),
    time_of_day: text(),
    cost_other: integer().notNull(),
    cost_repair: integer().notNull(),
    cost_total: integer().notNull(),
    speed_knots: integer(),
    status: text({ enum: ['open', 'reviewed'] })
      .notNull()
      .default('open'),
    flagged: boolean().notNull().default(false),
    assignee: text(),
    note: text(),
    /** From 0 to 100; null until it has been computed. */
    risk: integer(),
    archived: boolean().notNull().default(false),
    reviewed_at: timestamp({ withTimezone: true, mode: 'string' }),
  },
  (strike) => [
    index().on(strike.flight_date, strike.id),
    index().on(strike.origin_state, strike.flight_date, strike.id),
    index().on(strike.status, strike.flight_date, strike.id),
    index().on(strike.damage, strike.flight_date, strike.id),
    index().on(strike.species, strike.flight_date, strike.id),
    index().on(strike.cost_total, strike.id),
    searchIndex('bird_strikes_search', strike.airport_name, strike.operator, strike.species, strike.note),
  ],
)
