import { eq, inArray, sql } from 'drizzle-orm'
import type { AppliedFilter, DatabaseSession } from '#lib'
import { airports, flights } from './schema/index.ts'

type FlightEnd = typeof flights.origin | typeof flights.destination

/**
 * Selects the airports at one end of a flight, each by one step along the index: reading all flights would take 100
 * times as long.
 */
const servedAirports = (end: FlightEnd) => sql`(
  with recursive served as (
    (select ${end} as iata from ${flights} order by 1 limit 1)
    union all
    select (select ${end} from ${flights} where ${end} > served.iata order by 1 limit 1) from served where served.iata is not null
  ) select iata from served where iata is not null)`

/** Finds the airports of the chosen state; without one, those that flights leave from or arrive at. */
export const findAirportOptions = (db: DatabaseSession, state: AppliedFilter | undefined, end: FlightEnd) =>
  db
    .select({ value: airports.iata, label: airports.name })
    .from(airports)
    .where(
      typeof state?.value !== 'string' || state.value === 'all'
        ? inArray(airports.iata, servedAirports(end))
        : eq(airports.state, state.value),
    )
    .orderBy(airports.name)
