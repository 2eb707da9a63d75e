import fc from 'fast-check'
import { anyText } from './any-text.ts'

/** Names and values that break out of something somewhere: prototypes, SQL, LIKE, HTML, Unicode, numbers. */
export const hostileText: fc.Arbitrary<string> = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\uFEFF',
  'id',
  'weight',
  "'; drop table parcels; --",
  '" or 1=1 --',
  '$1',
  '$$',
  '%',
  '_',
  '\\',
  '{',
  '}',
  '{1,2}',
  '{"a"}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'NaN',
  'Infinity',
  '-0',
  '1e308',
  '1e999',
  '99999999999999999999',
  '0x10',
  '1,2,3',
  '1 - 2',
  'null',
  'undefined',
  'true',
  'all',
  '2026-02-30',
  '2026-01-31T08:00:00+99:99',
  '10000-01-01',
  '0000-01-01',
  '2026-01-31 25:00',
  '00000000-0000-0000-0000-000000000000',
  '~',
  '~AA',
  '%00',
  '%zz',
  '😀'.repeat(600),
  'x'.repeat(1_001),
  'params',
  'params[a]=1',
  'params={"a":1}',
  'params=%7B',
  'params[__proto__]=1',
  'شحنة',
  'views={"toString":null}',
  'views=x&columns=["y"]',
)

const fieldName = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'code',
      'state',
      'weight',
      'big',
      'price',
      'score',
      'ratio',
      'bucket',
      'kind',
      'kind_text',
      'fragile',
      'heavy',
      'shipped_from',
      'shipped_to',
      'packed_from',
      'packed_to',
      'seen_from',
      'seen_to',
      'token',
      'note',
      'note_choice',
      'depot__city',
      'has_weight',
      'has_city',
      'id',
    ),
    weight: 4,
  },
  { arbitrary: hostileText, weight: 1 },
)

const operator = fc.oneof(
  {
    arbitrary: fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'like', 'not like', 'in', 'not in', 'between'),
    weight: 6,
  },
  { arbitrary: hostileText, weight: 1 },
)

/** Values of which `String` makes no text, but throws. */
const textless = fc.constantFrom({ toString: null }, [{ toString: null }])

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(1e300, -1e300, 1e-320, 2 ** 53, 2 ** 63, -(2 ** 63), 0.1, -0, 5e-324, 253_402_300_800_000),
)

const dateText = fc
  .date({ min: new Date(-62_135_596_800_000), max: new Date(253_402_300_799_999), noInvalidDate: true })
  .map((date) => date.toISOString())

const value: fc.Arbitrary<unknown> = fc.oneof(
  number,
  number.map(String),
  hostileText,
  dateText,
  anyText(),
  fc.boolean(),
  fc.constant(null),
  textless,
  fc.array(fc.oneof(number, number.map(String), hostileText, fc.constant(null), fc.string()), { maxLength: 4 }),
  fc.record({ from: fc.oneof(dateText, hostileText), to: fc.oneof(dateText, hostileText) }, { requiredKeys: [] }),
  fc.jsonValue({ maxDepth: 2 }),
)

const anything = fc.oneof(value, fc.jsonValue({ maxDepth: 4 }))

const filter = fc.record(
  { field: fc.oneof({ arbitrary: fieldName, weight: 30 }, { arbitrary: textless, weight: 1 }), operator, value },
  { requiredKeys: ['field'] },
)

const plausible = fc.record(
  {
    filters: fc.oneof(
      fc.array(fc.oneof({ arbitrary: filter, weight: 6 }, { arbitrary: anything, weight: 1 }), { maxLength: 4 }),
      fc.dictionary(fieldName, fc.oneof(filter, anything), { maxKeys: 4 }),
    ),
    sorts: fc.oneof(
      fc.array(
        fc.oneof(
          { arbitrary: fc.record({ field: fieldName, direction: fc.constantFrom('asc', 'desc', 'DESC') }), weight: 6 },
          { arbitrary: anything, weight: 1 },
        ),
        { maxLength: 3 },
      ),
      fc.dictionary(fieldName, fc.constantFrom('asc', 'desc'), { maxKeys: 2 }),
    ),
    page: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 5 }), weight: 4 }, { arbitrary: anything, weight: 1 }),
    perPage: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 30 }), weight: 4 }, { arbitrary: anything, weight: 1 }),
    row_ids: fc.oneof(fc.array(fc.oneof(fc.integer(), value)), anything),
    params: anything,
    cursor: fc.oneof(fc.constant(null), fc.constant(undefined), fc.base64String()),
  },
  { requiredKeys: [] },
)

/** One thing at a time, so that most of it gets past the checks and as far as the database. */
const focused = fc.oneof(
  filter.map((one) => ({ filters: [one] })),
  fc.tuple(filter, filter).map((two) => ({ filters: two })),
  fc
    .array(fc.record({ field: fieldName, direction: fc.constantFrom('asc', 'desc') }), { maxLength: 3 })
    .map((sorts) => ({ sorts })),
  fc
    .array(fc.oneof(fc.integer({ min: -3, max: 50 }), hostileText, fc.integer()), { maxLength: 5 })
    .map((row_ids) => ({ row_ids })),
  fc.dictionary(hostileText, anything).map((params) => ({ params })),
)

/** A valid body with some characters of its text removed, doubled or replaced. */
const mutated = fc
  .tuple(
    plausible.map((body) => JSON.stringify(body)),
    fc.nat(),
    fc.nat(8),
    fc.string({ maxLength: 3 }),
  )
  .map(([text, place, length, inserted]) => {
    const start = place % (text.length + 1)
    return text.slice(0, start) + inserted + text.slice(start + length)
  })

const text = fc.oneof(
  { arbitrary: focused.map((body) => JSON.stringify(body)), weight: 8 },
  { arbitrary: plausible.map((body) => JSON.stringify(body)), weight: 3 },
  { arbitrary: mutated, weight: 2 },
  { arbitrary: fc.json(), weight: 1 },
  { arbitrary: fc.dictionary(hostileText, anything).map((body) => JSON.stringify(body)), weight: 1 },
  { arbitrary: anyText(), weight: 1 },
)

/** A body as a gateway delivers it, from sensible to absurd; some of it in base64, of which some is no UTF-8. */
export const anyRequestBody: fc.Arbitrary<{ readonly body: string; readonly isBase64Encoded: boolean }> = fc.oneof(
  { arbitrary: text.map((body) => ({ body, isBase64Encoded: false })), weight: 6 },
  { arbitrary: text.map((body) => ({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true })), weight: 1 },
  {
    arbitrary: fc.uint8Array().map((bytes) => ({ body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true })),
    weight: 1,
  },
)
