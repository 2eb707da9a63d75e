import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import { seedFile } from './seed-files.ts'

/** Loads all 3,376 airports, over those that are there: flights may point at them. */
export async function loadAirports(sql: TransactionSql, signal: AbortSignal): Promise<void> {
  await sql`create temporary table loaded_airports (like airports) on commit drop`
  const copy = await sql`copy loaded_airports (iata, name, city, state, country, latitude, longitude)
    from stdin (format csv, header, null 'NA')`.writable()
  await pipeline(createReadStream(seedFile('airports.csv')), copy, { signal })
  await sql`insert into airports select * from loaded_airports
    on conflict (iata) do update set (name, city, state, country, latitude, longitude) =
      (excluded.name, excluded.city, excluded.state, excluded.country, excluded.latitude, excluded.longitude)`
}
