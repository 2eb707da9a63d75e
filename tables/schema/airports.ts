import { doublePrecision, pgTable, text } from 'drizzle-orm/pg-core'
import { searchIndex } from './search-index.ts'

/** The airports of the United States and some of its neighbours. */
export const airports = pgTable(
  'airports',
  {
    iata: text().primaryKey(),
    name: text().notNull(),
    city: text(),
    state: text(),
    country: text().notNull(),
    latitude: doublePrecision().notNull(),
    longitude: doublePrecision().notNull(),
  },
  (airport) => [searchIndex('airports_search', airport.iata, airport.name, airport.city)],
)
