import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, onTestFinished } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { claims, createScriptedIssuer, outcome } from '../lib/auth/scripted-issuer.ts'
import { createTestKey } from '../lib/auth/signing-key.ts'
import { fixtureRegistry } from '../support/fixtures/fixture-registry.ts'
import { failingRegistry, hostileErrors } from '../support/fixtures/hostile-errors.ts'
import { fixtureClaims } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const api = await startWorkApi({ LOG_MESSAGES: 'safe' })
let thrower: (() => unknown) | undefined
const throwing = failingRegistry(() => thrower)
const failing = api.variant({}, throwing)
const hurried = api.variant({ REQUEST_DEADLINE_MS: '500' }, throwing)
const renamed = api.variant({}, createRegistry([], { claims: fixtureClaims }))
const log = recordLog()
beforeEach(() => api.reset())
afterEach(() => void log.take())

const keys = ['key-1', 'key-2', 'key-3'].map((kid) => createTestKey(kid))
const responses = ['', '{}', '[]', '{"keys":[]}', '{"keys":[{}]}', 'no json', 'x'.repeat(1_000_000)]

/** Sets the next response of the JWKS address; returns the keys that it serves, `undefined` if they cannot be read. */
function publishAnything(random: Random, issuer: ReturnType<typeof createScriptedIssuer>) {
  const turn = random.int(1, 6)
  if (turn <= 2) return issuer.publish(new Error('connect ECONNREFUSED'))
  if (turn === 3) return issuer.publish(random.pick(responses))
  return issuer.publish(random.shuffle(keys).slice(0, random.int(1, 3)))
}

fault('F18', 'the issuer fails, rotates, removes keys, and attackers name thousands', async (random) => {
  const [key = createTestKey('key-1')] = keys
  const issuer = createScriptedIssuer(key)
  await outcome(issuer.verifier, key.token(claims()))
  const begunAt = issuer.nowSeconds()
  for (let turn = 0; turn < 60; turn++) {
    publishAnything(random, issuer)
    issuer.advance(random.int(0, 120))
    const now = issuer.nowSeconds()
    const signer = random.pick(keys)
    for (let kids = random.int(0, 5); kids > 0; kids--) {
      const stranger = createTokenOfNobody(random)
      expect(['unauthenticated', 'unavailable']).toContain(await outcome(issuer.verifier, stranger))
    }
    expect(['ok', 'unauthenticated', 'unavailable']).toContain(
      await outcome(issuer.verifier, signer.token(claims({}, now))),
    )
  }
  const elapsed = issuer.nowSeconds() - begunAt
  expect(issuer.fetches()).toBeLessThanOrEqual(elapsed / 5 + 2)
  const [kept = key, removed = key] = keys
  issuer.publish([kept])
  issuer.advance(11 * 60)
  expect(await outcome(issuer.verifier, removed.token(claims({}, issuer.nowSeconds())))).not.toBe('ok')
  issuer.advance(11 * 60)
  expect(await outcome(issuer.verifier, kept.token(claims({}, issuer.nowSeconds())))).toBe('ok')
})

const nobody = createTestKey('nobody')
const createTokenOfNobody = (random: Random): string => nobody.token(claims(), { kid: `kid-${random.int(1, 100_000)}` })

fault('F19', 'the clock is wrong by seconds or minutes, or jumps', async (random) => {
  const [key = createTestKey('key-1')] = keys
  const issuer = createScriptedIssuer(key)
  for (let turn = 0; turn < 20; turn++) {
    issuer.advance(random.int(-600, 600))
    const now = issuer.nowSeconds()
    const left = random.pick([-600, -61, 61, 600])
    const token = key.token(claims({ exp: now + left }, now - 1_000))
    expect([left, await outcome(issuer.verifier, token)]).toEqual([left, left > 0 ? 'ok' : 'unauthenticated'])
    const future = random.pick([-600, 600])
    const issuedLater = key.token(claims({ exp: now + 5_000 }, now + future))
    expect([future, await outcome(issuer.verifier, issuedLater)]).toEqual([
      future,
      future < 0 ? 'ok' : 'unauthenticated',
    ])
  }
})

fault('F22', 'a deployment removes tables and renames actions under load', async (random) => {
  // Both versions have the keys of the issuer: what a slow fetch of them does to many requests is another fault.
  for (const version of [api, renamed]) {
    await expect.poll(async () => (await version.get('load-table/missing')).json.code).toBe('table_not_found')
  }
  const asked = Array.from({ length: 30 }, async (_, index) => {
    await sleep(random.int(0, 50))
    const isNew = random.chance(index / 30)
    const action = random.pick(['count/2', 'counted/2'])
    const { status, json } = await (isNew ? renamed : api).post(`row-table-action/orders/${action}`)
    const expected = isNew
      ? [404, 'table_not_found']
      : action === 'count/2'
        ? [200, undefined]
        : [422, 'action_not_defined']
    expect([status, json.code]).toEqual(expected)
    return status
  })
  const succeeded = (await Promise.all(asked)).filter((status) => status === 200).length
  expect(await api.runs(2)).toEqual([succeeded])
})

fault('F24', 'the password of the service changes while it works', async (random) => {
  const role = `rotated_${random.int(1, 1_000_000_000)}`
  const owner = postgres(api.databaseUrl, { max: 1, onnotice: () => {} })
  onTestFinished(() => owner.end({ timeout: 5 }))
  await owner.unsafe(`create role ${role} login superuser password 'first'`)
  const urlWith = (password: string) => Object.assign(new URL(api.databaseUrl), { username: role, password }).href
  const before = api.variant({ DATABASE_URL: urlWith('first') }, fixtureRegistry)
  expect((await before.post('query-table/orders')).status).toBe(200)
  await owner.unsafe(`alter role ${role} password 'second'`)
  expect((await before.post('query-table/orders')).status).toBe(200)
  if (random.chance(0.7)) {
    await owner`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`
    const refused = await before.post(random.pick(['query-table/orders', 'row-table-action/orders/count/2']))
    expect([refused.status, refused.json.code]).toEqual([503, 'unavailable'])
  }
  const after = api.variant({ DATABASE_URL: urlWith('second') }, fixtureRegistry)
  expect((await after.post('row-table-action/orders/count/2')).status).toBe(200)
  await owner`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`
  await expect
    .poll(() =>
      owner.unsafe(`drop role ${role}`).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
})

fault('F25', 'the code of a table throws anything, or never ends', async (random) => {
  for (let turn = 0; turn < 6; turn++) {
    const [what, hostile] = random.pick(hostileErrors)
    const ways: readonly [name: string, thrown: () => unknown, status: number][] = [
      ['at once', hostile, 500],
      ['later', async () => hostile(), 500],
      [
        'as no error',
        () => Promise.reject(random.pick([undefined, null, 0, '', 'hunter2', Symbol('hunter2'), {}])),
        500,
      ],
      ['never', () => new Promise(() => {}), 504],
    ]
    const [how, thrown, expected] = random.pick(ways)
    thrower = thrown
    const { status, text } = await (how === 'never' ? hurried : failing).post('query-table/failing')
    thrower = undefined
    expect([what, how, status]).toEqual([what, how, expected])
    expect(text).not.toMatch(/hunter2|nora@/)
  }
  expect(log.take()).not.toMatch(/hunter2|nora@/)
  expect((await failing.post('query-table/failing')).status).toBe(200)
})
