import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import { seedFile } from './seed-files.ts'

/**
 * Loads all 10,000 reports in the order of the file. The file knows nothing of reviews: these are spread over the
 * reports by arithmetic on the line number, the same in every database (about a quarter reviewed, a third of the open
 * ones assigned).
 */
export async function loadBirdStrikes(sql: TransactionSql, signal: AbortSignal): Promise<void> {
  await sql`truncate bird_strikes restart identity`
  await sql`create temporary table reports (
    line integer generated always as identity, airport_name text, aircraft_model text, damage text, flight_date date,
    operator text, origin_state text, phase text, wildlife_size text, species text, time_of_day text,
    cost_other integer, cost_repair integer, cost_total integer, speed_knots integer
  ) on commit drop`
  const copy = await sql`copy reports (airport_name, aircraft_model, damage, flight_date, operator, origin_state, phase,
    wildlife_size, species, time_of_day, cost_other, cost_repair, cost_total, speed_knots)
    from stdin (format csv, header)`.writable()
  await pipeline(createReadStream(seedFile('birdstrikes.csv')), copy, { signal })
  await insertWithReviews(sql)
}

const insertWithReviews = (sql: TransactionSql) => sql`
  insert into bird_strikes (
    airport_name, aircraft_model, damage, flight_date, operator, origin_state, phase, wildlife_size, species, time_of_day,
    cost_other, cost_repair, cost_total, speed_knots, status, flagged, assignee, note, reviewed_at)
  select airport_name, aircraft_model, damage, flight_date, operator, nullif(origin_state, 'N/A'), phase, wildlife_size,
    species, time_of_day, cost_other, cost_repair, cost_total, speed_knots,
    case when spread < 25 then 'reviewed' else 'open' end,
    line * 31 % 100 < case damage when 'None' then 4 else 20 end,
    case when spread < 50 then (array['amal', 'bilal', 'chen', 'dana', 'elif', 'farid'])[line * 17 % 6 + 1] end,
    case when spread < 10 then (array[
      'Carcass sent to the laboratory for identification.',
      'Operator asked for the repair invoice.',
      'Pilot interviewed, report complete.',
      'قُورن البلاغ بسجل المطار.'])[line * 13 % 4 + 1] end,
    case when spread < 25 then timestamptz '2026-01-05 08:00:00+00' + line * interval '37 minutes' end
  from (select *, line * 61 % 100 as spread from reports) as numbered
  order by line`
