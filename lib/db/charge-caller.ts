import type { Database } from './database.ts'
import type { Run } from './transaction.ts'
import type { UsageLimit } from './usage-limits.ts'

/** Units to charge. The `served` units are always charged; the `asked` units are charged all together or not at all. */
interface Charge {
  readonly served?: number
  readonly asked: number
}

export interface ChargeOutcome {
  /** 0 if the units asked for were granted, else after how many seconds they will be. */
  readonly waitSeconds: number
  /** The whole units left. */
  readonly remaining: number
}

/** Units of an allowance that a caller's request takes. */
export interface UsageCharge {
  readonly subject: string
  readonly limit: UsageLimit
  readonly units: number
}

/**
 * Charges a caller. Uses the clock of the database, which all functions share: if it jumps back, no caller waits for
 * longer than the limit's `seconds`.
 */
export async function chargeCaller(
  run: Database['attempt'] | Run,
  subject: string,
  { kind, max, seconds }: UsageLimit,
  { served = 0, asked }: Charge,
): Promise<ChargeOutcome> {
  const unit = unitSeconds({ max, seconds })
  const [row] = await run(chargeText, [subject, kind, seconds, served * unit, asked * unit])
  const granted = row?.[0] === true
  const fullIn = Number(row?.[1])
  const waitSeconds = granted ? 0 : Math.max(fullIn + asked * unit - seconds, unit / 1_000)
  return { waitSeconds, remaining: Math.max(0, Math.floor((seconds - fullIn) / unit)) }
}

// Rounded down to the precision of the server, which would else find `max` units to be longer than `seconds`.
const unitSeconds = ({ max, seconds }: Pick<UsageLimit, 'max' | 'seconds'>): number =>
  Math.floor((seconds / max) * 1e6) / 1e6

const refundText = `update table_control.caller_usage
  set full_at = greatest(full_at - make_interval(secs => $3::float8), now()) where subject = $1 and kind = $2`

/** Gives granted units back to a caller whose request was not carried out. */
export async function refundCaller(run: Run, { subject, limit, units }: UsageCharge): Promise<void> {
  await run(refundText, [subject, limit.kind, units * unitSeconds(limit)])
}

const [span, servedTime, askedTime] = ['$3', '$4', '$5'].map((value) => `make_interval(secs => ${value}::float8)`)

/**
 * When the bucket is full again once the served units are counted. It is never later than `span` from now, even if the
 * clock jumps.
 */
const countServed = (fullAt: string): string =>
  `least(greatest(least(${fullAt}, now() + ${span}), now()) + ${servedTime}, now() + ${span})`

const isGranted = (fullAt: string): string => `${countServed(fullAt)} + ${askedTime} <= now() + ${span}`

// Refused units are not charged, so that a caller who keeps trying is let in as the bucket fills.
const countAsked = (fullAt: string): string =>
  `${countServed(fullAt)} + case when ${isGranted(fullAt)} then ${askedTime} else interval '0' end`

const chargeText = `insert into table_control.caller_usage as usage (subject, kind, full_at, granted)
  values ($1, $2, ${countAsked('now()')}, ${isGranted('now()')})
  on conflict (subject, kind) do update set full_at = ${countAsked('usage.full_at')}, granted = ${isGranted('usage.full_at')}
  returning granted, extract(epoch from full_at - now())::float8`
