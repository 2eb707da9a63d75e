import { createPublicKey, verify } from 'node:crypto'
import { loadSigningKey } from '../../../infra/local/identity/signing-key.ts'
import { createTokenVerifier } from '../../../lib/auth/token-verifier.ts'
import { atMost, type Question } from '../figure.ts'
import { benchDirectory, settings, token } from '../installation.ts'
import { interleave, median } from '../rounds.ts'

const rounds = 15
const missesPerRound = 200
const hitsPerRound = 50_000

const micros = (began: number, times: number): number => ((performance.now() - began) * 1000) / times

/** Measures the verification of an access token. */
export const tokens: Question = {
  id: 'tokens',
  asks: 'What does it cost to verify an access token?',
  method: `RS256 tokens of 2,048-bit keys, all claims checked, keys fetched before; ${rounds} rounds of ${missesPerRound} tokens never seen before, ${hitsPerRound} times one that was, and the bare signature check of node:crypto.`,
  measure: async (bench) => {
    bench.report('minting tokens')
    const verifier = createTokenVerifier(settings(bench, 1))
    const unseen = Array.from({ length: (rounds + 1) * missesPerRound }, (_, index) => token(`subject-${index}`))
    const known = token('known')
    await verifier.verify(known)
    const publicKey = createPublicKey({ key: loadSigningKey(benchDirectory).publicKey, format: 'jwk' })
    const [header, payload, signature = ''] = known.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    const samples = await interleave(rounds, {
      miss: async () => {
        const batch = unseen.splice(0, missesPerRound)
        const began = performance.now()
        for (const one of batch) await verifier.verify(one)
        return micros(began, batch.length)
      },
      hit: async () => {
        await verifier.verify(known)
        const began = performance.now()
        for (let index = 0; index < hitsPerRound; index++) void verifier.verify(known)
        return micros(began, hitsPerRound)
      },
      signature: async () => {
        const began = performance.now()
        for (let index = 0; index < missesPerRound; index++) {
          verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))
        }
        return micros(began, missesPerRound)
      },
    })
    const miss = median(samples.miss)
    const hit = median(samples.hit)
    const bare = median(samples.signature)
    return [
      atMost(
        'a token not seen before',
        miss,
        50,
        `${miss.toFixed(1)} us (its signature alone ${bare.toFixed(1)} us)`,
        ' us',
      ),
      atMost('a token seen before', hit, 2, `${hit.toFixed(2)} us`, ' us'),
    ]
  },
}
