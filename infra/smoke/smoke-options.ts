import type { parseArgs } from 'node:util'
import type { NamedToggle } from './action-steps.ts'

export const smokeUsage = `Usage: npm run --silent smoke -- --stage <name> | --base-url <url>  --token <access token>  [options]
  --stage     a stage of infra/stages.ts: its stack's outputs name the URL (needs cloudformation:DescribeStacks)
  --base-url  any running service, such as http://127.0.0.1:3000
  --token     of a caller who sees rows; better in the variable SMOKE_TOKEN, which no list of processes shows
  --guards    with --base-url: the guards of the service (api,web)
  --origin    a page's origin that may call (of a stage: the first of allowedOrigins)
  --table     try this table only
  --toggle    <table>/<action>: run this toggle twice on one row, which restores the row
  --mail      an allowed address (success@simulator.amazonses.com), or off
  --wait      how many seconds a job may take (120)
  --json      for machines: { seconds, steps: [{ step, outcome, ms, detail, advice }] }
Ends with exit code 1 where a step failed.`

const simulatorAddress = 'success@simulator.amazonses.com'

export interface SmokeArguments {
  readonly stage: string | undefined
  readonly baseUrl: string | undefined
  readonly token: string
  readonly guards: readonly string[]
  readonly origin: string | undefined
  readonly table: string | undefined
  readonly toggle: NamedToggle | undefined
  /** `undefined`: off. */
  readonly mailTo: string | undefined
  readonly waitMs: number
  readonly json: boolean
}

const text = { type: 'string' } as const
export const smokeOptions = {
  stage: text,
  'base-url': text,
  token: text,
  guards: text,
  origin: text,
  table: text,
  toggle: text,
  mail: text,
  wait: text,
  json: { type: 'boolean', default: false },
} as const

type Given = ReturnType<typeof parseArgs<{ readonly options: typeof smokeOptions }>>['values']

/** Checks what the command line has. Throws one message for a person where it is wrong. */
export function readSmokeArguments(values: Given): SmokeArguments {
  const { stage, 'base-url': baseUrl, origin, table, json } = values
  if ((stage === undefined) === (baseUrl === undefined))
    throw new Error('Name either --stage or --base-url: the service to test')
  if (stage !== undefined && values.guards !== undefined) throw new Error('--guards goes with --base-url')
  const token = values.token ?? process.env['SMOKE_TOKEN']
  if (!token)
    throw new Error('--token or the variable SMOKE_TOKEN is needed: an access token of a caller who sees rows')
  const guards = (values.guards ?? 'api,web').split(',').map((guard) => guard.trim())
  const { mail = simulatorAddress } = values
  return {
    stage,
    token,
    guards,
    origin,
    table,
    json,
    baseUrl: baseUrl === undefined ? undefined : readUrl(baseUrl),
    toggle: readToggle(values.toggle),
    mailTo: mail === 'off' ? undefined : mail,
    waitMs: readSeconds(values.wait ?? '120') * 1_000,
  }
}

function readUrl(given: string): string {
  if (!/^https?:\/\/[^/]+/.test(given) || !URL.canParse(given))
    throw new Error(`--base-url is a URL such as https://tables.example.com, not "${given}"`)
  return given.replace(/\/+$/, '')
}

function readToggle(given: string | undefined): NamedToggle | undefined {
  if (given === undefined) return undefined
  const [table = '', action = '', ...more] = given.split('/')
  if (table === '' || action === '' || more.length > 0)
    throw new Error(`--toggle is <table>/<action>, such as bird_strikes/flag, not "${given}"`)
  return { table, action }
}

function readSeconds(given: string): number {
  if (/^\d{1,4}$/.test(given) && Number(given) > 0) return Number(given)
  throw new Error(`--wait is a number of seconds from 1 to 9999, not "${given}"`)
}
