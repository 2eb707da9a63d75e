import type { Sql, TransactionSql } from 'postgres'
import { loadAirports } from './seed-airports.ts'
import { loadBirdStrikes } from './seed-bird-strikes.ts'
import { analyzeSeed, createSeedMarkers, markLoaded, type SeedMarker, seedState } from './seed-marker.ts'

/** Which of the 3,000,000 flights are loaded: every 15th or each. */
export const flightSamples = { '200k': 15, all: 1 } as const
export type FlightSample = keyof typeof flightSamples

interface Seed extends SeedMarker {
  readonly rows: number
  readonly load: (sql: TransactionSql, signal: AbortSignal) => Promise<void>
}

const seeds = (sample: FlightSample): readonly Seed[] => [
  { table: 'airports', variant: '1', rows: 3_376, load: loadAirports },
  { table: 'bird_strikes', variant: '1', rows: 10_000, load: loadBirdStrikes },
  {
    table: 'flights',
    variant: `every ${flightSamples[sample]}`,
    rows: 3_000_000 / flightSamples[sample],
    // Its reader of Parquet files is needed at the first start only.
    load: async (sql, signal) => (await import('./seed-flights.ts')).loadFlights(sql, flightSamples[sample], signal),
  },
]

export interface SeedOptions {
  readonly flights: FlightSample
  /** Receives a line of progress. */
  readonly report: (line: string) => void
  /** Ends a load in the middle of it. */
  readonly signal: AbortSignal
}

/**
 * Fills the tables whose content is missing or is another sample's, each in one transaction: an abort leaves what was
 * there before, and the next call goes on from it. Rows that no seed loaded are left alone.
 */
export async function seedDatabase(sql: Sql, options: SeedOptions): Promise<void> {
  await createSeedMarkers(sql)
  for (const seed of seeds(options.flights)) {
    options.signal.throwIfAborted()
    const state = await loadOnce(sql, seed, options)
    if (state.kind === 'foreign') options.report(`${seed.table} has rows of its own, which are kept`)
    else if (!state.isAnalyzed) await analyzeSeed(sql, seed)
  }
}

/** The lock lets a second start wait and then find the work done. */
const loadOnce = (sql: Sql, seed: Seed, { report, signal }: SeedOptions) =>
  sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtext('local_stack.seeds'))`
    const state = await seedState(transaction, seed)
    if (state.kind !== 'missing') return state
    report(`loading ${seed.rows.toLocaleString('en')} rows of ${seed.table}`)
    await seed.load(transaction, signal)
    await markLoaded(transaction, seed)
    return state
  })
