import { createRegistry } from '#lib'
import { airportsTable } from './airports.ts'
import { birdStrikesTable } from './bird-strikes.ts'
import { flightsTable } from './flights.ts'
import { claims } from './identity.ts'

/** The tables that this installation shows. */
export const registry = createRegistry([flightsTable, airportsTable, birdStrikesTable], { claims })
