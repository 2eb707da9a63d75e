import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { airports } from './airports.ts'
import { searchIndex } from './search-index.ts'

/**
 * Domestic flights of the first half of 2001. `date` is the scheduled departure in local time, `delay` the arrival's
 * delay in minutes (negative: early), `distance` is in miles.
 */
export const flights = pgTable(
  'flights',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    date: timestamp({ precision: 0, mode: 'string' }).notNull(),
    delay: integer().notNull(),
    distance: integer().notNull(),
    origin: text()
      .notNull()
      .references(() => airports.iata),
    destination: text()
      .notNull()
      .references(() => airports.iata),
  },
  (flight) => [
    index().on(flight.date, flight.id),
    index().on(flight.origin, flight.date, flight.id),
    index().on(flight.destination, flight.date, flight.id),
    index().on(flight.origin, flight.destination, flight.date, flight.id),
    index().on(flight.delay, flight.id),
    index().on(flight.distance, flight.id),
    index().on(flight.origin, flight.delay, flight.id),
    searchIndex('flights_search', flight.origin, flight.destination),
  ],
)
