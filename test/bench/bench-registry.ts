import { createRegistry } from '#lib'
import { flightsTable } from '../../tables/flights.ts'
import { claims } from '../../tables/identity.ts'

const { bindings: _, ...definition } = flightsTable.definition

/**
 * The flights of the demo with an exact total and without dependent dropdowns, whose options would be two more
 * statements and 21 KB in every page.
 */
export const benchFlights = {
  ...definition,
  count: 'exact',
  filters: { ...definition.filters, origin: {}, destination: {} },
} satisfies typeof definition

/** Registers the flights of the benchmark, or what a question makes of them. */
export const createBenchRegistry = (flights: typeof definition = benchFlights) =>
  createRegistry([{ definition: flights }], { claims })

export const benchRegistry = createBenchRegistry()
