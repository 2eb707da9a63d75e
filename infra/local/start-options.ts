import { parseArgs } from 'node:util'
import { type FlightSample, flightSamples } from './seed.ts'

export interface StartOptions {
  readonly port: number
  readonly flights: FlightSample
  /** A fresh process per event. */
  readonly cold: boolean
  /** How long a message that was received stays hidden from the next receive. */
  readonly visibilitySeconds: number
  /** How often jobs whose message was lost are looked for. */
  readonly sweepSeconds: number
  /** How many messages the worker gets at once, at most. */
  readonly batchSize: number
}

type Environment = Readonly<Record<string, string | undefined>>

export const startUsage = `Usage: npm start [-- [--flights 200k|all] [--cold] [--help]]
  --flights  how many of the 3,000,000 flights to load: 200k (when left out) or all
  --cold     a fresh process for every event, as in a function's cold start
  PORT       the port to listen on (3000)
  DATABASE_URL      a Postgres of your own instead of the embedded one
  LOCAL_DIRECTORY   where data and secrets are kept (.local)
  LOCAL_VISIBILITY_SECONDS   how long the queue hides a message that was received (30)
  LOCAL_SWEEP_SECONDS        how often lost jobs are looked for (60)
  LOCAL_BATCH_SIZE           how many messages the worker gets at once (10)`

const optionKinds = {
  flights: { type: 'string', default: '200k' },
  cold: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Reads the command line and variables; `undefined` asks for the usage. Throws one message for a human when they are wrong. */
export function readStartOptions(args: readonly string[], env: Environment): StartOptions | undefined {
  const { values } = parseArgs({ args: [...args], options: optionKinds })
  if (values.help) return undefined
  if (!isFlightSample(values.flights)) throw new Error(`--flights is 200k or all, not "${values.flights}"`)
  return {
    port: whole(env, 'PORT', 3_000, 65_535),
    flights: values.flights,
    cold: values.cold,
    visibilitySeconds: whole(env, 'LOCAL_VISIBILITY_SECONDS', 30, 43_200),
    sweepSeconds: whole(env, 'LOCAL_SWEEP_SECONDS', 60, 86_400),
    batchSize: whole(env, 'LOCAL_BATCH_SIZE', 10, 10),
  }
}

function whole(env: Environment, name: string, fallback: number, most: number): number {
  const text = env[name] || String(fallback)
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text)
  throw new Error(`${name} is a number from 1 to ${most}, not "${text}"`)
}

/** Options that npm took for its own, because no `--` kept them for this command; npm hands those on as variables. */
export const optionsTakenByNpm = (env: Environment): readonly string[] =>
  ['flights', 'cold'].filter((name) => env[`npm_config_${name}`]).map((name) => `--${name}`)

const isFlightSample = (name: string): name is FlightSample => Object.hasOwn(flightSamples, name)
