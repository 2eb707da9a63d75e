import { expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../../lib/index.ts'
import type { AnyContext } from '../../../lib/table/context.ts'
import { createView } from '../../../lib/table/view.ts'
import { products } from '../../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../../support/fixtures/identities.ts'

const shows = (bit: number) => (context: unknown) => ((Number((context as AnyContext).params) >> bit) & 1) === 1

const table = defineFixture({
  name: 'products',
  from: products,
  key: 'id',
  scope: everyRow,
  columns: Object.fromEntries(
    Array.from({ length: 9 }, (_, bit) => [
      `c${bit}`,
      { label: 'Name', type: 'text' as const, value: () => '', loadIf: shows(bit) },
    ]),
  ),
})

const compiled = createRegistry([table], { claims: fixtureClaims }).tables.get('products')

/** The view of a caller whose conditions answer by the bits of a number. */
function createCallerView(responses: number) {
  if (compiled === undefined) throw new Error('the table is registered')
  return createView(compiled, { params: responses } as unknown as AnyContext)
}

it('is one object for equal results of the conditions of a table', () => {
  expect(createCallerView(5)).toBe(createCallerView(5))
  expect(createCallerView(5).columns.map(({ key }) => key)).toEqual(['c0', 'c2', 'actions'])
})

it('is forgotten after hundreds of others, because a client may choose the results by params', () => {
  const first = createCallerView(3)
  for (let responses = 100; responses < 400; responses++) createCallerView(responses)
  const again = createCallerView(3)
  expect(again).not.toBe(first)
  expect(again.columns.map(({ key }) => key)).toEqual(first.columns.map(({ key }) => key))
})
