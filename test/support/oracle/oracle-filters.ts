import fc from 'fast-check'
import { notes, offeredNotes, parcelKinds, parcelStates } from '../parcels/parcel-rows.ts'
import { dateFilter } from './oracle-dates.ts'
import { foldWord } from './oracle-fold.ts'
import {
  compareValues,
  type OracleFilter,
  type OracleKey,
  type OracleValue,
  remember,
  valueUnder,
} from './oracle-values.ts'

const ordering = ['=', '!=', '<', '<=', '>', '>='] as const

/** NULL is missing, and so is a number that no cell shows. */
const isMissing = (value: OracleValue): boolean =>
  value === null || (typeof value === 'number' && !Number.isFinite(value))

/** The meaning of the operators: a missing value differs from every value, and no other operator matches it. */
export function holds(operator: string, left: OracleValue, right: OracleValue): boolean {
  if (isMissing(left)) return operator === '!='
  const order = compareValues(left, right)
  const outcomes: Readonly<Partial<Record<string, boolean>>> = {
    '=': order === 0,
    '!=': order !== 0,
    '<': order < 0,
    '<=': order <= 0,
    '>': order > 0,
    '>=': order >= 0,
  }
  const outcome = outcomes[operator]
  if (outcome === undefined) throw new Error(`the oracle does not know the operator "${operator}"; add it to the tests`)
  return outcome
}

/** The meaning of `in`. */
export const isAmong = (value: OracleValue, list: readonly OracleValue[]): boolean =>
  value !== null && list.some((entry) => compareValues(value, entry) === 0)

const spelledNumber = (value: number): fc.Arbitrary<unknown> =>
  fc.constantFrom<unknown>(
    value,
    String(value),
    ` ${value} `,
    value < 0 ? String(value) : `+${value}`,
    value.toExponential(),
  )

const numbersByKey: Readonly<Record<string, readonly number[]>> = {
  weight: [-5, 0, 1, 2.5, 3, 5, 9, -2_147_483_648, 2_147_483_647, 3e9, -3e9, 1e30, -0.5],
  price: [0.1, 0.3, 12.5, 12.501, 12.5005, -3, 999_999.999, 1e20],
  score: [0.1, 0.3, -2.5, 0, 1e300, 1e308, -1e308],
  ratio: [0.1, 0.3, 1.5, -7, 0.2, 1e300, -1e300],
  bucket: [0, 1, 2.5, 4, 11, -5],
}

const numberFilter = fc.constantFrom('weight', 'price', 'score', 'ratio', 'bucket').chain((field) => {
  const value = fc.constantFrom(...(numbersByKey[field] ?? []))
  const spelled = value.chain((number) => spelledNumber(number).map((sent) => ({ number, sent })))
  return fc.oneof(
    fc
      .record({ operator: fc.constantFrom(...ordering), value: spelled })
      .map(({ operator, value: { number, sent } }) =>
        findFilter(field, operator, sent, (own) => holds(operator, own, number)),
      ),
    fc.tuple(spelled, spelled, fc.boolean(), fc.boolean()).map(([from, to, asText, isBetween]) => {
      const sent = asText ? `${from.number} - ${to.number}` : [from.sent, to.sent]
      const isInside = (own: OracleValue) => holds('>=', own, from.number) && holds('<=', own, to.number)
      return findFilter(field, isBetween ? 'between' : 'not between', sent, (own) => isInside(own) === isBetween)
    }),
    listFilter(
      field,
      spelled.map(({ number, sent }) => ({ value: number, sent })),
    ),
  )
})

/** Doubled, so that halves are exact; `.5` lies between two integers and beyond what a double can tell apart. */
const toDouble = (digits: string): bigint =>
  2n * BigInt(digits.split('.')[0] ?? '0') + (digits.endsWith('.5') ? 1n : 0n)

const bigs = [
  '9007199254740993',
  '9007199254740993.5',
  '9007199254740992.5',
  '9007199254740992',
  '-9223372036854775808',
  '9223372036854775807',
  '9223372036854775808',
  '7',
]

const bigFilter = fc.oneof(
  fc
    .record({ operator: fc.constantFrom(...ordering), value: fc.constantFrom(...bigs) })
    .map(({ operator, value }) =>
      findFilter('big', operator, value, (own) =>
        holds(operator, typeof own === 'bigint' ? own * 2n : null, toDouble(value)),
      ),
    ),
  listFilter(
    'big',
    fc
      .constantFrom(...bigs.filter((digits) => !digits.includes('.')))
      .map((digits) => ({ value: BigInt(digits), sent: digits })),
  ),
)

function listFilter(
  field: OracleKey | 'note_choice' | string,
  entry: fc.Arbitrary<{ readonly value: OracleValue; readonly sent: unknown }>,
  source: string = field,
): fc.Arbitrary<OracleFilter> {
  return fc
    .record({
      operator: fc.constantFrom('in', 'not in'),
      entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
      joined: fc.boolean(),
    })
    .map(({ operator, entries, joined }) => {
      const mayJoin =
        joined && entries.every(({ sent }) => !String(sent).includes(',') && String(sent).trim() === String(sent))
      const sent = mayJoin ? entries.map((one) => one.sent).join(', ') : entries.map((one) => one.sent)
      const list = entries.map(({ value }) => value)
      return findFilter(field, operator, sent, (own) => isAmong(own, list) === (operator === 'in'), source)
    })
}

const textsByKey = {
  code: ['P-1', 'p-', 'P', 'é-', '😀', '-10', 'nothing'],
  note: [...notes, '0%', 'A_', 'K\\S', 'BOX', '\\', '%%', 'null'],
  depot__city: ['Austin', 'AUSTIN', 'aust', 'Dayton', 'Åre', ''],
  depot__region__name: ['Coast', 'coast', 'ILL'],
  kind_text: [...parcelKinds, 'LARGE', 'nothing', ' '],
  token: [
    '00000001-aaaa-4bbb-8ccc-00000000000a',
    '00000001-AAAA-4BBB-8CCC-00000000000A',
    'aaaa',
    'not a token',
    '000000',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Each letter on its own, as the database's locale has it: C.UTF-8 knows no letter that becomes two. */
export const foldCase = remember((text: string) =>
  [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join(''),
)

/** UUIDs are values, not texts: their letters have no case. */
const asValue = (field: string, text: string): string =>
  field === 'token' && /^[0-9a-f-]{36}$/i.test(text) ? text.toLowerCase() : text

const textFilter = fc.constantFrom(...(Object.keys(textsByKey) as (keyof typeof textsByKey)[])).chain((field) => {
  const text = fc.constantFrom<string>(...textsByKey[field])
  return fc.oneof(
    fc
      .record({ operator: fc.constantFrom('=', '!='), text })
      .map(({ operator, text: sent }) =>
        findFilter(field, operator, sent, (own) => holds(operator, own, asValue(field, sent))),
      ),
    fc
      .record({ operator: fc.constantFrom('like', 'not like'), text })
      .map(({ operator, text: sent }) =>
        findFilter(
          field,
          operator,
          sent,
          (own) => (own !== null && foldCase(String(own)).includes(foldCase(sent))) === (operator === 'like'),
        ),
      ),
    fc.record({ operator: fc.constantFrom('starts with', 'ends with'), text }).map(({ operator, text: sent }) =>
      findFilter(field, operator, sent, (own) => {
        const whole = own === null ? undefined : foldCase(String(own))
        const part = foldCase(sent)
        return (operator === 'starts with' ? whole?.startsWith(part) : whole?.endsWith(part)) ?? false
      }),
    ),
    listFilter(
      field,
      text.map((sent) => ({ value: asValue(field, sent), sent })),
    ),
  )
})

const foldedTexts = {
  note_folded: [...notes, 'BOX', 'ﾌ', 'شِحـنة', 'هَشه', 'ＢＯＸ', 'bóx'],
  city_folded: ['AUSTIN', 'are', 'ÅRE', 'Dáyton', 'stin', ''],
  kind_folded: ['SMALL', 'Ódd', 'large', 'nothing'],
} as const

const foldedSources = { note_folded: 'note', city_folded: 'depot__city', kind_folded: 'kind_text' } as const

/** Filters of texts that are compared on both sides as searches do. */
const foldedFilter = fc.constantFrom('note_folded', 'city_folded', 'kind_folded').chain((field) => {
  const compare: Readonly<Record<string, (own: string, sent: string) => boolean>> = {
    '=': (own, sent) => own === sent,
    like: (own, sent) => own.includes(sent),
    in: (own, sent) => own === sent,
    'starts with': (own, sent) => own.startsWith(sent),
    'ends with': (own, sent) => own.endsWith(sent),
  }
  return fc
    .record({
      operator: fc.constantFrom('=', '!=', 'like', 'not like', 'in', 'not in', 'starts with', 'ends with'),
      text: fc.constantFrom<string>(...foldedTexts[field]),
    })
    .map(({ operator, text }) => {
      const isNegated = operator.startsWith('not ') || operator === '!='
      const compared = compare[operator === '!=' ? '=' : operator.replace('not ', '')]
      const keeps = (own: OracleValue) =>
        (own !== null && compared?.(foldWord(String(own)), foldWord(text)) === true) !== isNegated
      return findFilter(field, operator, operator.endsWith('in') ? [text] : text, keeps, foldedSources[field])
    })
})

const nullFilter = fc
  .record({
    field: fc.constantFrom(
      'weight',
      'price',
      'score',
      'ratio',
      'bucket',
      'note',
      'depot__city',
      'token',
      'packed_from',
    ),
    operator: fc.constantFrom('is null', 'is not null'),
    value: fc.constantFrom(undefined, null, 'ignored'),
  })
  .map(({ field, operator, value }) =>
    findFilter(
      field,
      operator,
      value,
      (own) => isMissing(own) === (operator === 'is null'),
      field.replace('_from', ''),
    ),
  )

const truths = [
  [true, [true, 1, '1', 'true']],
  [false, [false, 0, '0', 'false']],
] as const

const booleanFilter = fc
  .record({
    field: fc.constantFrom('fragile', 'heavy'),
    operator: fc.constantFrom('=', '!='),
    truth: fc.constantFrom(...truths),
    spelling: fc.nat(3),
  })
  .map(({ field, operator, truth: [value, spellings], spelling }) =>
    findFilter(field, operator, spellings[spelling], (own) => holds(operator, own, value)),
  )

/** The filters of choices that also generate "all", which restricts nothing; to a text it is a text. */
const fieldsWithAll = ['kind', 'state', 'fragile', 'has_city'] as const

/** Whether a filter is sent and restricts nothing. */
export const isSentinel = ({ sent: { field, value } }: OracleFilter): boolean =>
  value === 'all' && fieldsWithAll.some((one) => one === field)

const choiceFilter = fc.oneof(
  fc
    .record({ operator: fc.constantFrom('=', '!='), kind: fc.constantFrom(...parcelKinds) })
    .map(({ operator, kind }) =>
      findFilter('kind', operator, kind, (own) => holds(operator, own, parcelKinds.indexOf(kind))),
    ),
  listFilter(
    'kind',
    fc.constantFrom(...parcelKinds).map((kind) => ({ value: parcelKinds.indexOf(kind), sent: kind })),
  ),
  listFilter(
    'state',
    fc.constantFrom(...parcelStates).map((state) => ({ value: state, sent: state })),
  ),
  fc
    .uniqueArray(fc.constantFrom(0, 3, 11), { minLength: 1 })
    .map((buckets) => findFilter('bucket_choice', 'in', buckets.map(String), (own) => isAmong(own, buckets), 'bucket')),
  listFilter(
    'note_choice',
    fc.constantFrom(...offeredNotes).map((note) => ({ value: note, sent: note })),
    'note',
  ),
  fc
    .constantFrom(...fieldsWithAll)
    .map((field): OracleFilter => ({ sent: { field, value: 'all' }, keeps: () => true })),
)

const presenceFilter = fc
  .record({
    pair: fc.constantFrom(
      ['has_weight', 'weight'] as const,
      ['has_score', 'score'] as const,
      ['has_city', 'depot__city'] as const,
    ),
    sent: fc.constantFrom<readonly [unknown, boolean]>(
      ['set', true],
      [true, true],
      [1, true],
      ['1', true],
      ['not_set', false],
      [false, false],
      ['0', false],
    ),
  })
  .map(({ pair: [field, source], sent: [value, isSet] }) =>
    findFilter(field, '=', value, (own) => isMissing(own) !== isSet, source),
  )

function findFilter(
  field: string,
  operator: string,
  value: unknown,
  keeps: (own: OracleValue) => boolean,
  source = field,
): OracleFilter {
  const key = source as OracleKey
  const keepsValue = remember(keeps)
  return { sent: { field, operator, value }, keeps: (parcel) => keepsValue(valueUnder(key, parcel)) }
}

/** Filters of every type, operator and spelling, with values that exist and values that do not. */
export const oracleFilter: fc.Arbitrary<OracleFilter> = fc.oneof(
  { arbitrary: numberFilter, weight: 4 },
  { arbitrary: bigFilter, weight: 1 },
  { arbitrary: textFilter, weight: 5 },
  { arbitrary: foldedFilter, weight: 2 },
  { arbitrary: booleanFilter, weight: 1 },
  { arbitrary: choiceFilter, weight: 2 },
  { arbitrary: presenceFilter, weight: 1 },
  { arbitrary: nullFilter, weight: 1 },
  { arbitrary: dateFilter, weight: 4 },
)
