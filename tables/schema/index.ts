export { airports } from './airports.ts'
export { birdStrikes } from './bird-strikes.ts'
export { flights } from './flights.ts'
