import { createRegistry } from '#lib'
import { flightsTable } from '../../tables/flights.ts'
import { claims } from '../../tables/identity.ts'

const { bindings: _, ...definition } = flightsTable.definition
const { origin: _origin, destination: _destination, ...filters } = definition.filters ?? {}

/**
 * The flights of the demo with an exact total and without dependent dropdowns, whose options would be two more
 * statements and 21 KB in every page.
 */
export const benchRegistry = createRegistry(
  [{ definition: { ...definition, count: 'exact', filters: { ...filters, origin: {}, destination: {} } } }],
  { claims },
)
