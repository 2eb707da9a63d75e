import { describe, expect, it } from 'vitest'
import { claims, createScriptedIssuer, outcome, rejection } from './scripted-issuer.ts'
import { createTestKey } from './signing-key.ts'

const first = createTestKey('key-1')
const second = createTestKey('key-2')
const down = new Error('connect ECONNREFUSED')
const minute = 60

const tokenOfKid = (kid: string, key = first) => key.token(claims(), { kid })

async function warmIssuer(key = first) {
  const issuer = createScriptedIssuer(key)
  await issuer.verifier.verify(key.token(claims()))
  return issuer
}

describe('rotation', () => {
  it('brings a new key into use with its first token', async () => {
    const issuer = await warmIssuer()
    issuer.advance(minute)
    issuer.publish([first, second])
    expect(await outcome(issuer.verifier, second.token(claims()))).toBe('ok')
    expect(issuer.fetches()).toBe(2)
  })

  it('is answered 503, not 401, while the JWKS may not be read again, and ok 5 s later', async () => {
    const issuer = await warmIssuer()
    issuer.advance(3)
    issuer.publish([first, second])
    const error = await rejection(issuer.verifier, second.token(claims()))
    expect([error.status, error.headers]).toEqual([503, { 'retry-after': '2' }])
    issuer.advance(2)
    expect(await outcome(issuer.verifier, second.token(claims()))).toBe('ok')
  })

  it('ends a removed key within 10 minutes, for tokens that were verified before as well', async () => {
    const issuer = await warmIssuer()
    const token = first.token(claims())
    issuer.publish([second])
    issuer.advance(10 * minute - 1)
    expect(await outcome(issuer.verifier, token)).toBe('ok')
    issuer.advance(1)
    expect(await outcome(issuer.verifier, token)).toBe('unauthenticated')
  })

  it('ends a removed key at once when another token led to a look at the JWKS', async () => {
    const issuer = await warmIssuer()
    issuer.advance(minute)
    issuer.publish([second])
    expect(await outcome(issuer.verifier, second.token(claims()))).toBe('ok')
    issuer.advance(5)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unauthenticated')
  })

  it('rejects a removed key at once after a token with an unknown key made it fetch the JWKS', async () => {
    const issuer = await warmIssuer()
    const token = first.token(claims())
    issuer.advance(minute)
    issuer.publish([second])
    expect(await outcome(issuer.verifier, tokenOfKid('unknown'))).toBe('unauthenticated')
    expect(await outcome(issuer.verifier, token)).not.toBe('ok')
    issuer.advance(5)
    expect(await outcome(issuer.verifier, token)).toBe('unauthenticated')
  })

  it('does not accept the old key under a kid that now is another key', async () => {
    const issuer = await warmIssuer()
    issuer.publish([createTestKey('key-1')])
    issuer.advance(10 * minute)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unauthenticated')
  })

  it('accepts a key that was asked for before it was published', async () => {
    const issuer = createScriptedIssuer(first)
    expect(await outcome(issuer.verifier, second.token(claims()))).toBe('unauthenticated')
    issuer.publish([first, second])
    issuer.advance(5)
    expect(await outcome(issuer.verifier, second.token(claims()))).toBe('ok')
  })

  it('takes an empty set as the withdrawal of every key', async () => {
    const issuer = await warmIssuer()
    issuer.publish([])
    issuer.advance(10 * minute)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unauthenticated')
  })
})

describe('an unknown key', () => {
  it('is refused after one honest look, and again without another one', async () => {
    const issuer = await warmIssuer()
    issuer.advance(minute)
    const token = tokenOfKid('unknown')
    expect(await outcome(issuer.verifier, token)).toBe('unauthenticated')
    expect(await outcome(issuer.verifier, token)).toBe('unauthenticated')
    expect(issuer.fetches()).toBe(2)
  })

  it('is refused on a cold start after the one look that starts it', async () => {
    const issuer = createScriptedIssuer(first)
    expect(await outcome(issuer.verifier, tokenOfKid('unknown'))).toBe('unauthenticated')
    expect(issuer.fetches()).toBe(1)
  })

  it.each(['__proto__', 'constructor', 'toString'])('may be called %s', async (kid) => {
    const issuer = await warmIssuer()
    issuer.advance(minute)
    expect(await outcome(issuer.verifier, tokenOfKid(kid))).toBe('unauthenticated')
  })
})

describe('1,000 unknown keys over 100 s', () => {
  // Signs in a twentieth of the time of an RSA key.
  const quick = createTestKey('key-1', 'ES256')

  it('lead to at most one fetch per 5 s, never disturb good tokens, and delay a new key by 5 s at most', async () => {
    const issuer = await warmIssuer(quick)
    const newToken = second.token(claims())
    let waitedSeconds = 0
    for (let attack = 0; attack < 1_000; attack += 1) {
      issuer.advance(0.1)
      if (attack === 500) issuer.publish([quick, second])
      expect(await outcome(issuer.verifier, tokenOfKid(`attack-${attack}`, quick))).not.toBe('ok')
      expect(await outcome(issuer.verifier, quick.token(claims({ attack })))).toBe('ok')
      if (attack >= 500 && (await outcome(issuer.verifier, newToken)) !== 'ok') waitedSeconds += 0.1
    }
    expect(issuer.fetches()).toBeLessThanOrEqual(1 + 100 / 5)
    expect(waitedSeconds).toBeLessThanOrEqual(5)
    expect(await outcome(issuer.verifier, newToken)).toBe('ok')
  })

  it('lead to one fetch when they come all at once', async () => {
    const issuer = await warmIssuer(quick)
    issuer.advance(minute)
    const attacks = Array.from({ length: 1_000 }, (_, index) =>
      outcome(issuer.verifier, tokenOfKid(`attack-${index}`, quick)),
    )
    expect(await Promise.all(attacks)).not.toContain('ok')
    expect(issuer.fetches()).toBe(2)
  })
})

describe('an unreachable JWKS', () => {
  it('is 503 with Retry-After on a cold start, and is asked again after 5 s', async () => {
    const issuer = createScriptedIssuer()
    issuer.publish(down)
    const error = await rejection(issuer.verifier, first.token(claims()))
    expect([error.code, error.status, error.headers]).toEqual(['unavailable', 503, { 'retry-after': '5' }])
    issuer.publish([first])
    issuer.advance(4)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unavailable')
    issuer.advance(1)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('ok')
    expect(issuer.fetches()).toBe(2)
  })

  it('is not asked on a cold start for a token that no key could make valid', async () => {
    const issuer = createScriptedIssuer()
    issuer.publish(down)
    expect(await outcome(issuer.verifier, first.token(claims(), { alg: 'none' }))).toBe('unauthenticated')
    expect(issuer.fetches()).toBe(0)
  })

  it('leaves known keys working for an hour, then is 503', async () => {
    const issuer = await warmIssuer()
    issuer.publish(down)
    for (let passed = 1; passed < 60; passed += 1) {
      issuer.advance(minute)
      expect(await outcome(issuer.verifier, first.token(claims({ passed })))).toBe('ok')
    }
    issuer.advance(minute)
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unavailable')
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unavailable')
    issuer.advance(5)
    issuer.publish([first])
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('ok')
  })

  it('answers a key that it does not know by 503', async () => {
    const issuer = await warmIssuer()
    issuer.advance(minute)
    expect(await outcome(issuer.verifier, tokenOfKid('unknown'))).toBe('unauthenticated')
    issuer.publish(down)
    issuer.advance(5)
    expect(await outcome(issuer.verifier, tokenOfKid('unknown'))).toBe('unavailable')
    expect(await outcome(issuer.verifier, tokenOfKid('unknown'))).toBe('unavailable')
    expect(await outcome(issuer.verifier, first.token(claims()))).toBe('ok')
  })

  it('is asked once every 30 s at most while old keys serve', async () => {
    const issuer = await warmIssuer()
    issuer.publish(down)
    issuer.advance(10 * minute)
    for (let second = 0; second < 60; second += 1) {
      expect(await outcome(issuer.verifier, first.token(claims()))).toBe('ok')
      issuer.advance(1)
    }
    expect(issuer.fetches()).toBe(3)
  })
})

it.each<[string, string]>([
  ['no JSON', '<html>'],
  ['null', 'null'],
  ['no object', '[]'],
  ['an object without keys', '{}'],
  ['keys that are no list', '{"keys":{}}'],
  ['larger than 64 KB', JSON.stringify({ keys: [first.jwk], fill: 'x'.repeat(65_536) })],
])('a JWKS that is %s counts as unreachable', async (_name, text) => {
  const issuer = createScriptedIssuer()
  issuer.publish(text)
  expect(await outcome(issuer.verifier, first.token(claims()))).toBe('unavailable')
})

it('keeps the good keys of a JWKS in which another is broken', async () => {
  const issuer = createScriptedIssuer()
  issuer.publish(JSON.stringify({ keys: [null, 7, { kty: 'RSA' }, { kid: 1 }, { kty: 'new', kid: 'x' }, first.jwk] }))
  expect(await outcome(issuer.verifier, first.token(claims()))).toBe('ok')
})

it('fetches once for many first tokens at the same time', async () => {
  const issuer = createScriptedIssuer(first)
  const tokens = Array.from({ length: 50 }, (_, index) => first.token(claims({ index })))
  const outcomes = await Promise.all(tokens.map((token) => outcome(issuer.verifier, token)))
  expect(new Set(outcomes)).toEqual(new Set(['ok']))
  expect(issuer.fetches()).toBe(1)
})

it.each([-10 * minute, -120 * minute])('goes on when the clock is set back by %d s', async (seconds) => {
  const issuer = await warmIssuer()
  issuer.advance(seconds)
  const token = second.token(claims({}, issuer.nowSeconds()))
  issuer.publish([first, second])
  expect(await outcome(issuer.verifier, token)).toBe('ok')
})
