import { createMutants } from '../mutant.ts'

export const httpMutants = createMutants(
  'http',
  ['test/api/envelope.test.ts', 'test/api/transport.test.ts'],
  [
    [
      "allowCredentials: ALLOWED_ORIGINS.length > 0 && !ALLOWED_ORIGINS.includes('*')",
      'allowCredentials: ALLOWED_ORIGINS.length > 0',
      'test/api/preflight.test.ts',
      'test/infra/gateway-cors.test.ts',
    ],
    ["candidate.trim() === '*' || ", '', 'test/api/entity-tag.test.ts'],
    ["401: { 'www-authenticate': 'Bearer' },", '', 'test/api/access-control.test.ts'],
    ["cookie: event.cookies.join('; ')", "cookie: ''", 'test/api/access-control.test.ts'],
    ["wanted >= (weights.get('application/json') ?? 0)", 'wanted >= 0', 'test/api/export-delivery.test.ts'],
    [
      "vary: 'origin, authorization, ln, accept-language, accept-encoding'",
      "vary: 'accept-encoding'",
      'test/api/entity-tag.test.ts',
    ],
    [
      'return await withDeadline(response, running.config.REQUEST_DEADLINE_MS)',
      'return await response',
      'test/api/socket-connect.test.ts',
    ],
    [
      'error instanceof RequestError && error.status < 500) return undefined',
      'error instanceof RequestError) return undefined',
      'test/api/list-tables.test.ts',
    ],
    ['allowed.includes(origin)) return\n', "origin !== '') return\n", 'test/api/socket-connect.test.ts'],
    [
      "invocation.mayHaveCommitted ? 'outcome_unknown' : 'timed_out'",
      "'timed_out'",
      'test/api/unknown-outcome.test.ts',
    ],
    ['if (size > maxBodyBytes) throw', 'if (size > 2 * maxBodyBytes) throw'],
    ['if (++depth > maxDepth) return true', '++depth', 'test/api/bad-input.test.ts', 'test/api/transport.test.ts'],
    [
      "new TextDecoder('utf-8', { fatal: true }).decode(bytes)\n  } catch (error) {",
      "new TextDecoder('utf-8').decode(bytes)\n  } catch (error) {",
      'test/api/bad-input.test.ts',
      'test/api/transport.test.ts',
    ],
    ["'x-content-type-options': 'nosniff',\n  'cache-control': 'no-store'", "'cache-control': 'no-store'"],
    ['/^[\\w.:-]{1,64}$/', '/^.{1,64}$/', 'test/lib/http/log.test.ts', 'test/api/request-log.test.ts'],
    ['if (inner !== undefined) merged[inner] = value', '', 'test/api/params.test.ts'],
  ],
)
