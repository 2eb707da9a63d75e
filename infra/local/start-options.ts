import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type FlightSample, flightSamples } from './database/seed.ts'
import { refuseTakenOptions } from './taken-options.ts'

export interface StartOptions {
  readonly port: number
  readonly flights: FlightSample
  /** A fresh process per event. */
  readonly cold: boolean
  /** From the synthesized template instead of the sources. */
  readonly synth: boolean
  /** The stage whose template it is. */
  readonly stage: string
  /** An existing cloud assembly. Default: cdk.out, which is updated first. */
  readonly assembly: string | undefined
  /** How long a message that was received stays hidden from the next receive. Default: the queue's own setting. */
  readonly visibilitySeconds: number | undefined
  /** How often jobs whose message was lost are looked for, where it is not as the schedule says. */
  readonly sweepSeconds: number | undefined
  /** How many messages the worker gets at once, at most, where it is not as its trigger says. */
  readonly batchSize: number | undefined
  /** How many requests each function takes at once, if it is not the default. */
  readonly concurrency: number | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

export const startUsage = `Usage: npm start [-- [--flights 200k|all] [--cold] [--synth [--stage <name>] [--assembly <folder>]] [--help]]
  --flights  how many of the 3,000,000 flights to load: 200k (default) or all
  --cold     a fresh process for every event, as in a function's cold start
  --synth    runs what would be deployed: the CDK's template with its bundles, of --stage (dev), updated in cdk.out;
             --assembly <folder> runs an existing assembly without an update
  PORT       the port to listen on (3000)
  DATABASE_URL      a Postgres of your own instead of the embedded one
  LOCAL_DIRECTORY   where data and secrets are kept (.local)
  LOCAL_VISIBILITY_SECONDS   how long the queue hides a message that was received (30, or the template's)
  LOCAL_SWEEP_SECONDS        how often the sweep looks for lost jobs (60, or the template's)
  LOCAL_BATCH_SIZE           how many messages the worker gets at once (10, or the template's)
  LOCAL_CONCURRENCY          how many requests each function takes at once (100; with --synth as the template says)`

const optionKinds = {
  flights: { type: 'string', default: '200k' },
  cold: { type: 'boolean', default: false },
  synth: { type: 'boolean', default: false },
  stage: { type: 'string' },
  assembly: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Reads the command line and variables; `undefined` asks for the usage. Throws one message for a human when they are
 * wrong.
 */
export function readStartOptions(args: readonly string[], env: Environment): StartOptions | undefined {
  refuseTakenOptions(optionKinds)
  const { values } = parseArgs({ args: [...args], options: optionKinds })
  if (values.help) return undefined
  if (!isFlightSample(values.flights)) throw new Error(`--flights is 200k or all, not "${values.flights}"`)
  const { synth, stage, assembly } = values
  if (!synth && (stage ?? assembly) !== undefined) throw new Error('--stage and --assembly need --synth')
  return {
    port: whole(env, 'PORT', 65_535) ?? 3_000,
    flights: values.flights,
    cold: values.cold,
    synth,
    stage: stage ?? 'dev',
    assembly: assembly && resolve(assembly),
    visibilitySeconds: whole(env, 'LOCAL_VISIBILITY_SECONDS', 43_200),
    sweepSeconds: whole(env, 'LOCAL_SWEEP_SECONDS', 86_400),
    batchSize: whole(env, 'LOCAL_BATCH_SIZE', 10),
    concurrency: whole(env, 'LOCAL_CONCURRENCY', 10_000),
  }
}

function whole(env: Environment, name: string, max: number): number | undefined {
  const text = env[name]
  if (!text) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  throw new Error(`${name} is a number from 1 to ${max}, not "${text}"`)
}

export const isFlightSample = (name: string): name is FlightSample => Object.hasOwn(flightSamples, name)
