import { type KeySet, parseJwks } from './jwks-document.ts'
import { refused, undecided } from './token-refusal.ts'

/** Reads the document at a JWKS URL; has to settle within about two seconds. */
export type FetchJwks = (url: string) => Promise<Uint8Array | string>

export interface JwksSource {
  /** The keys, unless they have to be read (again) first. The same object as long as the JWKS has not changed. */
  readonly current: () => KeySet | undefined
  /**
   * Keys among which is `kid`, read (again) if need be. Rejects with `unauthenticated` when a look at the JWKS shows no
   * such key, and with `unavailable` when the JWKS cannot be read, or may not be read again so soon.
   */
  readonly holding: (kid: string) => Promise<KeySet>
}

interface Jwks {
  readonly fetch: () => Promise<Uint8Array | string>
  readonly now: () => number
  readonly absentKids: Set<string>
  keys: KeySet
  document: string | undefined
  /** When the look that brought `keys` began, in milliseconds. */
  readAt: number
  /** When the newest look began, whatever became of it. */
  lookedAt: number
  looking: Promise<void> | undefined
}

const refreshAfterMs = 10 * 60_000
const refreshRetryMs = 30_000
const uselessAfterMs = 60 * 60_000
const shortestLookIntervalMs = 5_000
const mostAbsentKids = 1_000

/**
 * Keeps the keys of one JWKS. They are read again every 10 minutes, so that a withdrawn key stops working; while that fails
 * the old ones serve on, for an hour at most. A token with an unknown key leads to one look at the JWKS, never more than
 * one in 5 s; since a look brings every key, tokens of attackers delay a new key by those 5 s and no more.
 */
export function createJwksSource(url: string, fetchJwks: FetchJwks, now: () => number): JwksSource {
  const jwks: Jwks = {
    fetch: () => fetchJwks(url),
    now,
    absentKids: new Set(),
    keys: new Map(),
    document: undefined,
    readAt: Number.NEGATIVE_INFINITY,
    lookedAt: Number.NEGATIVE_INFINITY,
    looking: undefined,
  }
  return { current: () => currentKeys(jwks), holding: (kid) => keysHolding(jwks, kid) }
}

function currentKeys(jwks: Jwks): KeySet | undefined {
  const now = jwks.now()
  const age = between(now, jwks.readAt)
  const isDue = age >= refreshAfterMs && between(now, jwks.lookedAt) >= refreshRetryMs
  return age < uselessAfterMs && !isDue ? jwks.keys : undefined
}

async function keysHolding(jwks: Jwks, kid: string): Promise<KeySet> {
  const hasLooked = currentKeys(jwks) === undefined && (await refresh(jwks))
  if (!jwks.keys.has(kid) && !hasLooked) await lookFor(jwks, kid)
  if (jwks.keys.has(kid)) return jwks.keys
  rememberAbsent(jwks.absentKids, kid)
  throw refused('unknown_key')
}

/** True when this very call made a look that succeeded, so that what it did not find is not there. */
async function refresh(jwks: Jwks): Promise<boolean> {
  if (between(jwks.now(), jwks.readAt) < uselessAfterMs) {
    return look(jwks).then(
      () => true,
      () => false,
    )
  }
  if (jwks.looking !== undefined) return jwks.looking.then(() => false)
  if (untilNextLook(jwks) > 0) throw undecided('keys_unreachable', untilNextLook(jwks))
  await look(jwks)
  return true
}

async function lookFor(jwks: Jwks, kid: string): Promise<void> {
  if (jwks.looking === undefined && untilNextLook(jwks) === 0) return look(jwks)
  // A look that was under way before this token came may have been too early for its key: no proof of absence.
  await jwks.looking
  if (!jwks.keys.has(kid) && !jwks.absentKids.has(kid)) throw undecided('fetch_budget', untilNextLook(jwks))
}

function look(jwks: Jwks): Promise<void> {
  jwks.looking ??= read(jwks).finally(() => {
    jwks.looking = undefined
  })
  return jwks.looking
}

async function read(jwks: Jwks): Promise<void> {
  const startedAt = jwks.now()
  jwks.lookedAt = startedAt
  try {
    const answer = await jwks.fetch()
    const document = typeof answer === 'string' ? answer : new TextDecoder('utf-8', { fatal: true }).decode(answer)
    if (document !== jwks.document) jwks.keys = parseJwks(document)
    jwks.document = document
    jwks.readAt = startedAt
  } catch (cause) {
    // While the JWKS cannot be read, a kid that was absent earlier may have come into it.
    jwks.absentKids.clear()
    throw undecided('keys_unreachable', untilNextLook(jwks), cause)
  }
}

function untilNextLook(jwks: Jwks): number {
  return Math.max(0, shortestLookIntervalMs - between(jwks.now(), jwks.lookedAt))
}

/** Absolute, so that a clock that is set back neither forbids looks for long nor keeps old keys alive. */
function between(now: number, instant: number): number {
  return Math.abs(now - instant)
}

function rememberAbsent(absentKids: Set<string>, kid: string): void {
  absentKids.add(kid)
  const [oldest] = absentKids.size > mostAbsentKids ? absentKids : []
  if (oldest !== undefined) absentKids.delete(oldest)
}
