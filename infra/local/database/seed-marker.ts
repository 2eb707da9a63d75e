import type { Sql, TransactionSql } from 'postgres'

/** A set of rows that the local database is filled with; `variant` names one certain content of it. */
export interface SeedMarker {
  readonly table: 'airports' | 'bird_strikes' | 'flights'
  readonly variant: string
}

/** `isAnalyzed` is false from the load until the table has been vacuumed and analyzed. */
export interface SeedState {
  readonly kind: 'missing' | 'foreign' | 'loaded'
  readonly isAnalyzed: boolean
}

/** Creates what remembers the seeds: the memory lives and rolls back with the rows that it speaks of. */
export async function createSeedMarkers(sql: Sql): Promise<void> {
  await sql`create schema if not exists local_stack`
  await sql`create table if not exists local_stack.seeds
    (table_name text primary key, variant text not null, settled boolean not null)`
}

/**
 * Returns what the table holds: this very content, nothing or an older content (`missing`), or rows that no seed wrote
 * (`foreign`), which must not be replaced.
 */
export async function seedState(sql: Sql | TransactionSql, { table, variant }: SeedMarker): Promise<SeedState> {
  const [seed] = await sql<{ variant: string; settled: boolean }[]>`
    select variant, settled from local_stack.seeds where table_name = ${table}`
  if (seed?.variant === variant) return { kind: 'loaded', isAnalyzed: seed.settled }
  if (seed !== undefined) return { kind: 'missing', isAnalyzed: false }
  const [row] = await sql`select 1 from ${sql(table)} limit 1`
  return { kind: row === undefined ? 'missing' : 'foreign', isAnalyzed: false }
}

/** Remembers a load; belongs into the transaction that did it. */
export async function markLoaded(sql: TransactionSql, { table, variant }: SeedMarker): Promise<void> {
  await sql`insert into local_stack.seeds values (${table}, ${variant}, false)
    on conflict (table_name) do update set variant = excluded.variant, settled = false`
}

/** Vacuums and analyzes, so that plans are right and index-only scans possible from the first query on. */
export async function analyzeSeed(sql: Sql, { table }: SeedMarker): Promise<void> {
  await sql`vacuum (analyze) ${sql(table)}`
  await sql`update local_stack.seeds set settled = true where table_name = ${table}`
}
