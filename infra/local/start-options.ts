import { parseArgs } from 'node:util'
import { type FlightSample, flightSamples } from './seed.ts'

export interface StartOptions {
  readonly port: number
  readonly flights: FlightSample
  /** A fresh process per request. */
  readonly cold: boolean
}

export const startUsage = `Usage: npm start [-- [--flights 200k|all] [--cold] [--help]]
  --flights  how many of the 3,000,000 flights to load: 200k (when left out) or all
  --cold     a fresh process for every request, as in a function's cold start
  PORT       the port to listen on (3000)
  DATABASE_URL      a Postgres of your own instead of the embedded one
  LOCAL_DIRECTORY   where data and secrets are kept (.local)`

const optionKinds = {
  flights: { type: 'string', default: '200k' },
  cold: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Reads the command line and PORT; `undefined` asks for the usage. Throws one message for a human when they are wrong. */
export function readStartOptions(args: readonly string[], port = '3000'): StartOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: optionKinds })
  if (values.help) return undefined
  if (!isFlightSample(values.flights)) throw new Error(`--flights is 200k or all, not "${values.flights}"`)
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`PORT is a number from 1 to 65535, not "${port}"`)
  }
  return { port: Number(port), flights: values.flights, cold: values.cold }
}

/** Options that npm took for its own, because no `--` kept them for this command; npm hands those on as variables. */
export const optionsTakenByNpm = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  ['flights', 'cold'].filter((name) => env[`npm_config_${name}`]).map((name) => `--${name}`)

const isFlightSample = (name: string): name is FlightSample => Object.hasOwn(flightSamples, name)
