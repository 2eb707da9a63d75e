import postgres from 'postgres'
import { serviceDdl } from '../database/service-ddl.ts'
import type { DatabaseTemplate } from '../database/test-database.ts'
import { depots, parcels, regions } from './parcel-rows.ts'

const schema = `
  create type parcel_kind as enum ('small', 'medium', 'a large one', 'odd');
  create table regions (id integer primary key, name text not null);
  create table depots (id integer primary key, city text, region_id integer);
  create table parcels (
    id integer primary key, code text not null unique, tenant text not null, state text, weight integer, big bigint,
    price numeric(12,3), score double precision, ratio real, kind parcel_kind, fragile boolean, shipped date,
    packed timestamp, seen timestamptz, token uuid, note text, depot_id integer
  );
  create index on parcels (state, id);
  create index on parcels (weight, id);
`

/** A database with the parcels, their depots and those's regions, analysed, and the service's own tables. */
export const parcelDatabase: DatabaseTemplate = {
  name: 'parcels',
  build: async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql.unsafe((await serviceDdl()) + schema)
    for (const [table, rows] of Object.entries({ regions, depots, parcels: parcels() })) {
      await sql`insert into ${sql(table)} select * from json_populate_recordset(null::${sql(table)}, ${JSON.stringify(rows)}::text::json)`
    }
    await sql.unsafe('analyze')
    await sql.end()
  },
}
