import { createMutants } from '../mutant.ts'

export const authMutants = createMutants(
  'auth',
  ['test/lib/auth'],
  [
    ['if (nowSeconds >= exp)', 'if (nowSeconds > exp + 60)'],
    ['nowSeconds < nbf - graceSeconds', 'nowSeconds < nbf - 86_400'],
    ['iat > nowSeconds + maxHeadStartSeconds', 'iat > nowSeconds + 86_400'],
    ["sub.trim() === ''", "sub === ''"],
    ['if (!isGenuine(signed)) throw', 'if (!isGenuine(signed) && signed.alg === undefined) throw'],
    ["signature.toString('base64url') !== token.slice(end + 1)", 'signature.length === 0'],
    ['if (!compact.test(token)) throw', "if (token === '') throw"],
    ['if (!key?.algorithms.includes(alg)) throw', 'if (key === undefined) throw'],
    ['crit: z.optional(z.never())', 'crit: z.optional(z.any())'],
    ['issuers: [issuer],', 'issuers: [issuer, jwksUrl],'],
    ["payload['token_use'] !== tokenUse", "payload['token_use'] === undefined"],
    ['jwks.absentKids.clear()', ''],
    ['const maxKeyAgeMs = 60 * 60_000', 'const maxKeyAgeMs = 600 * 60_000'],
    ['if (size > maxJwksBytes) throw', 'if (size > 100 * maxJwksBytes) throw'],
    ["protocol === 'http:' && loopback.has(hostname)", "protocol === 'http:'"],
    ['env.JWT_ISSUER && env.JWT_AUDIENCE && env.JWKS_URL', 'env.JWT_ISSUER && env.JWKS_URL', 'test/lib/config.test.ts'],
    [
      'return !absent.success || absent.data !== undefined',
      'return !absent.success',
      'test/api/changed-claims.test.ts',
    ],
    ['|| identity.subject !== stored.subject) throw', ') throw', 'test/lib/jobs/withdrawn-rights.test.ts'],
  ],
)
