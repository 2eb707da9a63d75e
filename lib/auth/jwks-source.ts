import { createPublicKey, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk'
import * as z from 'zod/mini'
import { keysUnavailable, tokenRefused } from './token-refusal.ts'

/** Reads the document at a JWKS URL; must end within about two seconds. */
export type FetchJwks = (url: string) => Promise<Uint8Array | string>

interface JwksSource {
  /** Returns the keys, or `undefined` if they must be fetched first. The same object until the JWKS changes. */
  readonly current: () => KeySet | undefined
  /**
   * Returns keys that include `kid`, fetched if necessary. Rejects with `unauthenticated` if a fetch has shown that the
   * JWKS has no such key. Rejects with `unavailable` if no fetch could show it: it failed, or the last one is less than
   * 5 s old.
   */
  readonly keysWith: (kid: string) => Promise<KeySet>
}

interface Jwks {
  readonly fetch: () => Promise<Uint8Array | string>
  readonly now: () => number
  readonly absentKids: Set<string>
  keys: KeySet
  document: string | undefined
  /** The start of the fetch that returned `keys`, in milliseconds. */
  readAt: number
  /** The start of the newest fetch, successful or not. */
  fetchedAt: number
  fetching: Promise<void> | undefined
}

const refreshAfterMs = 10 * 60_000
const refreshRetryMs = 30_000
const maxKeyAgeMs = 60 * 60_000
const minFetchIntervalMs = 5_000
const maxAbsentKids = 1_000

/**
 * Keeps the keys of one JWKS. They are fetched again every 10 minutes, so that a withdrawn key stops working. While
 * that fails, the old ones stay valid for at most an hour. A token with an unknown key causes one fetch, at most one in
 * 5 s. A fetch returns every key, so tokens of attackers delay a new key by at most 5 s.
 */
export function createJwksSource(url: string, fetchJwks: FetchJwks, now: () => number): JwksSource {
  const jwks: Jwks = {
    fetch: () => fetchJwks(url),
    now,
    absentKids: new Set(),
    keys: new Map(),
    document: undefined,
    readAt: Number.NEGATIVE_INFINITY,
    fetchedAt: Number.NEGATIVE_INFINITY,
    fetching: undefined,
  }
  return { current: () => currentKeys(jwks), keysWith: (kid) => findKeys(jwks, kid) }
}

function currentKeys(jwks: Jwks): KeySet | undefined {
  const now = jwks.now()
  const age = elapsedMs(now, jwks.readAt)
  const isDue = age >= refreshAfterMs && elapsedMs(now, jwks.fetchedAt) >= refreshRetryMs
  return age < maxKeyAgeMs && !isDue ? jwks.keys : undefined
}

async function findKeys(jwks: Jwks, kid: string): Promise<KeySet> {
  const hasLooked = currentKeys(jwks) === undefined && (await refresh(jwks))
  if (!jwks.keys.has(kid) && !hasLooked) await fetchForKid(jwks, kid)
  if (jwks.keys.has(kid)) return jwks.keys
  rememberAbsent(jwks.absentKids, kid)
  throw tokenRefused('unknown_key')
}

/** Returns whether this call itself fetched the keys, so that a missing key is proven absent. */
async function refresh(jwks: Jwks): Promise<boolean> {
  if (elapsedMs(jwks.now(), jwks.readAt) < maxKeyAgeMs) {
    return fetchOnce(jwks).then(
      () => true,
      () => false,
    )
  }
  if (jwks.fetching !== undefined) return jwks.fetching.then(() => false)
  if (untilNextFetchMs(jwks) > 0) throw keysUnavailable('keys_unreachable', untilNextFetchMs(jwks))
  await fetchOnce(jwks)
  return true
}

async function fetchForKid(jwks: Jwks, kid: string): Promise<void> {
  if (jwks.fetching === undefined && untilNextFetchMs(jwks) === 0) return fetchOnce(jwks)
  // A fetch that began before this token came may have been too early for its key: no proof of absence.
  await jwks.fetching
  if (!jwks.keys.has(kid) && !jwks.absentKids.has(kid)) throw keysUnavailable('fetch_budget', untilNextFetchMs(jwks))
}

function fetchOnce(jwks: Jwks): Promise<void> {
  jwks.fetching ??= fetchKeys(jwks).finally(() => {
    jwks.fetching = undefined
  })
  return jwks.fetching
}

async function fetchKeys(jwks: Jwks): Promise<void> {
  const startedAt = jwks.now()
  jwks.fetchedAt = startedAt
  try {
    const fetched = await jwks.fetch()
    const document = typeof fetched === 'string' ? fetched : new TextDecoder('utf-8', { fatal: true }).decode(fetched)
    if (document !== jwks.document) jwks.keys = parseJwks(document)
    jwks.document = document
    jwks.readAt = startedAt
  } catch (cause) {
    // While the JWKS cannot be read, a kid that was absent earlier may have come into it.
    jwks.absentKids.clear()
    throw keysUnavailable('keys_unreachable', untilNextFetchMs(jwks), cause)
  }
}

function untilNextFetchMs(jwks: Jwks): number {
  return Math.max(0, minFetchIntervalMs - elapsedMs(jwks.now(), jwks.fetchedAt))
}

/** Absolute, so that a clock that is set back neither forbids looks for long nor keeps old keys alive. */
function elapsedMs(now: number, instant: number): number {
  return Math.abs(now - instant)
}

function rememberAbsent(absentKids: Set<string>, kid: string): void {
  absentKids.add(kid)
  const [oldest] = absentKids.size > maxAbsentKids ? absentKids : []
  if (oldest !== undefined) absentKids.delete(oldest)
}

/** A public key that may verify tokens. */
export interface SigningKey {
  readonly publicKey: KeyObject
  /** The `alg` values that this key may be used with. */
  readonly algorithms: readonly string[]
}

/** Signing keys by `kid`. */
export type KeySet = ReadonlyMap<string, SigningKey>

/** The longest `kid` of a key or a token, in characters. */
export const maxKidLength = 256

const minRsaBits = 2_048

const algorithmsByKind: ReadonlyMap<string, readonly string[]> = new Map([
  ['RSA', ['RS256', 'RS384', 'RS512']],
  ['EC P-256', ['ES256']],
  ['EC P-384', ['ES384']],
  ['EC P-521', ['ES512']],
  ['OKP Ed25519', ['EdDSA']],
  ['OKP Ed448', ['EdDSA']],
])

const jwks = z.object({ keys: z.array(z.json()) })

/**
 * Reads a JWKS of at most 64 KB. A key that cannot verify tokens (encryption, symmetric, RSA below 2,048 bits, no
 * `kid`) is left out; of two keys with one `kid` the first counts. An empty set is valid: every key was withdrawn.
 * Throws when the document is no JWKS at all.
 */
export function parseJwks(document: string): KeySet {
  if (document.length > maxJwksBytes) throw new Error(`the JWKS is larger than ${maxJwksBytes} bytes`)
  const keySet = new Map<string, SigningKey>()
  for (const json of jwks.parse(JSON.parse(document)).keys) {
    const jwk = isJwk(json) ? json : undefined
    const key = jwk && signingKey(jwk)
    if (key && jwk.kid && jwk.kid.length <= maxKidLength && !keySet.has(jwk.kid)) keySet.set(jwk.kid, key)
  }
  return keySet
}

function signingKey(jwk: Jwk): SigningKey | undefined {
  const ofKind = algorithmsByKind.get(jwk.kty === 'RSA' ? 'RSA' : `${jwk.kty} ${jwk.crv}`) ?? []
  const algorithms = ofKind.filter((algorithm) => jwk.alg === undefined || jwk.alg === algorithm)
  if (algorithms.length === 0 || (jwk.use !== undefined && jwk.use !== 'sig')) return undefined
  const publicKey = readPublicKey(jwk)
  const rsaBits = publicKey?.asymmetricKeyDetails?.modulusLength ?? minRsaBits
  return publicKey && rsaBits >= minRsaBits ? { publicKey, algorithms } : undefined
}

function readPublicKey(jwk: Jwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** The largest JWKS that is read, in bytes. */
const maxJwksBytes = 65_536

const maxFetchMs = 2_000
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Throws unless `url` is https, or http on this machine: keys that anyone on the way can replace verify nothing. */
export function assertJwksUrl(url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return
  throw new Error(`JWKS_URL must be https (plain http is for 127.0.0.1, localhost and [::1] only): ${url}`)
}

/**
 * Downloads a JWKS. Rejects when it takes longer than 2 s in all, is larger than 64 KB, or is answered by anything
 * other than 200: a redirect is not followed, because it could lead off https.
 */
export async function fetchJwks(url: string): Promise<Uint8Array> {
  const response = await get(url)
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`the URL of the JWKS answered with status ${response.statusCode}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxJwksBytes) throw new Error(`the JWKS is larger than ${maxJwksBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function get(url: string): Promise<IncomingMessage> {
  // Importing node:http loads all of undici, some 15 ms that a function with its keys behind https need not spend.
  const request = url.startsWith('https:') ? requestHttps : (await import('node:http')).request
  // A connection of its own: one kept alive would be dead after a frozen function thaws.
  const options = { agent: false, headers: { accept: 'application/json' }, signal: AbortSignal.timeout(maxFetchMs) }
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end()
  })
}
