import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openColumn, sealColumn } from '../../../lib/storage/sealed-column.ts'

const secret = 'fixture-secret-of-more-than-32-characters'

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 100_000 }))
    .map(([text, times]) => text.repeat(times)),
)

it('a sealed text opens as it was, however long, and in its context only', () => {
  fc.assert(
    fc.property(texts, fc.string(), fc.string(), (text, context, other) => {
      fc.pre(context !== other)
      const sealed = sealColumn(secret, context, text)
      expect(openColumn(secret, context, sealed)).toBe(text)
      expect(openColumn(secret, other, sealed)).toBeUndefined()
    }),
  )
})

it('a long text takes less room than its letters', () => {
  expect(sealColumn(secret, 'rows', '{"id":1,"title":"Order"}'.repeat(10_000)).length).toBeLessThan(10_000)
})

it('an altered text does not open, whether or not it was compressed', () => {
  for (const text of ['short', 'long '.repeat(20_000)]) {
    const sealed = sealColumn(secret, 'rows', text)
    const altered = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    expect(openColumn(secret, 'rows', altered)).toBeUndefined()
  }
  expect(openColumn(secret, 'rows', '~')).toBeUndefined()
  expect(openColumn(secret, 'rows', '')).toBeUndefined()
})
