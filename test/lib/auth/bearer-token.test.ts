import { expect, it } from 'vitest'
import { readBearerToken } from '../../../lib/auth/token-check.ts'

it.each(['Bearer aa.bb.cc', 'bearer aa.bb.cc', 'BEARER aa.bb.cc', 'Bearer   aa.bb.cc'])(
  'reads the token of %j',
  (header) => {
    expect(readBearerToken(header)).toBe('aa.bb.cc')
  },
)

it('reads a token of 8 KB', () => {
  const token = 'a'.repeat(8_192)
  expect(readBearerToken(`Bearer ${token}`)).toBe(token)
})

it.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['no token', 'Bearer'],
  ['an empty token', 'Bearer '],
  ['no scheme', 'aa.bb.cc'],
  ['another scheme', 'Basic YTpi'],
  ['a scheme that only begins alike', 'BearerX aa.bb.cc'],
  ['two tokens', 'Bearer aa.bb.cc dd.ee.ff'],
  ['two headers, as a gateway joins them', 'Bearer aa.bb.cc,Bearer dd.ee.ff'],
  ['a line break', 'Bearer aa.bb.cc\r\nx: y'],
  ['a character that no token has', 'Bearer aa.b\u0000b.cc'],
  ['Arabic letters', 'Bearer رمز'],
  ['one character more than 8 KB', `Bearer ${'a'.repeat(8_193)}`],
  ['1 MB', `Bearer ${'a'.repeat(1_048_576)}`],
  ['1 MB of spaces', `Bearer${' '.repeat(1_048_576)}a`],
])('refuses %s', (_, header) => {
  expect(() => readBearerToken(header)).toThrow(expect.objectContaining({ code: 'unauthenticated', status: 401 }))
})
