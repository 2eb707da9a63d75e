import { describe, expect, it } from 'vitest'
import { createVerifiedTokenCache } from '../../../lib/auth/verified-token-cache.ts'
import { claims, createScriptedIssuer, startSeconds } from './scripted-issuer.ts'
import { createTestKey } from './signing-key.ts'

const createVerified = (expiresAt: number) => ({ subject: 'alice', expiresAt, claims: {} })

describe('the cache of verified tokens', () => {
  it('holds no more than its capacity and drops what was unused for longest', () => {
    const cache = createVerifiedTokenCache(3)
    for (const token of ['a', 'b', 'c']) cache.set(token, createVerified(100))
    cache.get('a', 0)
    cache.set('d', createVerified(100))
    const held = ['a', 'b', 'c', 'd'].filter((token) => cache.get(token, 0) !== undefined)
    expect(held).toEqual(['a', 'c', 'd'])
  })

  it('replaces a token that it holds already', () => {
    const cache = createVerifiedTokenCache(2)
    cache.set('a', createVerified(100))
    cache.set('b', createVerified(100))
    cache.set('a', createVerified(200))
    expect([cache.get('a', 0)?.expiresAt, cache.get('b', 0)?.expiresAt]).toEqual([200, 100])
  })

  it('forgets a token at its exp, for good', () => {
    const cache = createVerifiedTokenCache()
    cache.set('a', createVerified(100))
    expect(cache.get('a', 99.9)?.expiresAt).toBe(100)
    expect(cache.get('a', 100)).toBe(undefined)
    expect(cache.get('a', 50)).toBe(undefined)
  })

  it('keeps 1,000 tokens by default', () => {
    const cache = createVerifiedTokenCache()
    for (let index = 0; index < 5_000; index += 1) cache.set(`token-${index}`, createVerified(100))
    const held = Array.from({ length: 5_000 }, (_, index) => cache.get(`token-${index}`, 0)).filter(Boolean)
    expect(held).toHaveLength(1_000)
  })
})

describe('a token that was verified before', () => {
  const key = createTestKey('key-1')

  it('is answered at once, by the same object', async () => {
    const { verifier } = createScriptedIssuer(key)
    const token = key.token(claims())
    const once = await verifier.verify(token)
    expect(verifier.verify(token)).toBe(once)
  })

  it('is refused from its exp on', async () => {
    const { verifier, advance } = createScriptedIssuer(key)
    const token = key.token(claims({ exp: startSeconds + 10 }))
    await verifier.verify(token)
    advance(9)
    expect(verifier.verify(token)).not.toBeInstanceOf(Promise)
    advance(1)
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is known still after the same keys were read again', async () => {
    const { verifier, advance, fetches } = createScriptedIssuer(key)
    const token = key.token(claims())
    await verifier.verify(token)
    advance(600)
    await verifier.verify(key.token(claims({ other: true })))
    expect(fetches()).toBe(2)
    expect(verifier.verify(token)).not.toBeInstanceOf(Promise)
  })
})
