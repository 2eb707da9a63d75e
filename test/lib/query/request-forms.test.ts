import { expect, it } from 'vitest'
import { readList, readRange } from '../../../lib/query/read-value.ts'
import { readFilters, readSorts } from '../../../lib/query/request-forms.ts'

/** A list whose entries behind `limit` cannot be read. */
const readableTo = (limit: number): readonly object[] =>
  new Proxy([], {
    get: (target, key) => {
      if (key === 'length') return 1_000_000
      const index = typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : undefined
      if (index === undefined) return Reflect.get(target, key)
      if (index > limit) throw new Error(`entry ${index} was read`)
      return {}
    },
    has: () => true,
  })

it('reads one filter and one sort more than there may be, and no further', () => {
  expect(readFilters(readableTo(100), 100)).toHaveLength(101)
  expect(readSorts(readableTo(10), new Set(), 10)).toHaveLength(11)
})

it('reads as little of filters and sorts that come as an object', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name${index}`, 'asc']))
  expect(readFilters(many, 100)).toHaveLength(101)
  expect(readSorts(many, new Set(), 10)).toHaveLength(11)
})

it('splits no more of a text than a list or a range may hold', () => {
  expect(() => readList('1,'.repeat(500_000))).toThrow(/not valid/)
  expect(readList('1, 2')).toEqual(['1', '2'])
  expect(() => readRange('1 - '.repeat(200_000))).toThrow(/not valid/)
})
