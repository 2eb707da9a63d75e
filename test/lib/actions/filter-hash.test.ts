import { expect, it } from 'vitest'
import { filterHash } from '../../../lib/actions/audit.ts'

it('differs by everything that chooses rows: filters, params and selected ids', () => {
  const bodies = [{ filters: { a: 1 } }, { filters: { a: 2 } }, { params: { a: 1 } }, { params: { a: 2 } }]
  const hashes = [...bodies, { selected_ids: [1] }, { selected_ids: [2] }].map(filterHash)
  expect(new Set(hashes).size).toBe(6)
  expect(filterHash({ selected_ids: [1], assignee: 'x' })).toBe(filterHash({ selected_ids: [1] }))
  expect(filterHash({ assignee: 'x' })).toBeUndefined()
})
