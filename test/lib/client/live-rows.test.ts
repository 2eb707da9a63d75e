import { describe, expect, it } from 'vitest'
import { applyRowMessage, compareItems, type LivePage, type RowMessage } from '../../../lib/client/live.ts'

interface Row {
  readonly id: number
  readonly text?: string
}

const rows = (...ids: number[]): readonly Row[] => ids.map((id) => ({ id }))
const page = (items: readonly Row[], seq = 0): LivePage<Row> => ({ items, seq, status: 'current' })
const create = (event: string, seq: number, data: object) =>
  ({ event, channel: 'rows:page', id: 'page', seq, data }) as unknown as RowMessage<Row>

describe('applyRowMessage', () => {
  it.each([
    [
      'a changed row',
      'rows.changed',
      { items: [{ id: 2, text: 'new' }] },
      [{ id: 1 }, { id: 2, text: 'new' }, { id: 3 }],
    ],
    ['another order', 'rows.changed', { items: [], order: [3, 1, 2] }, rows(3, 1, 2)],
    ['a row that enters', 'rows.entered', { items: [{ id: 4 }], order: [4, 1, 2, 3] }, rows(4, 1, 2, 3)],
    ['a row that leaves', 'rows.left', { ids: [1], order: [2, 3] }, rows(2, 3)],
    ['a row that it does not have', 'rows.changed', { items: [{ id: 9 }] }, rows(1, 2, 3)],
  ])('applies %s', (_, event, data, items) => {
    expect(applyRowMessage(page(rows(1, 2, 3)), create(event, 1, data))).toEqual({ items, seq: 1, status: 'current' })
  })

  it('says that a change goes on until its order has come', () => {
    const first = applyRowMessage(page(rows(1, 2, 3)), create('rows.left', 1, { ids: [2] }))
    expect(first.status).toBe('changing')
    const second = applyRowMessage(first, create('rows.entered', 2, { items: [{ id: 4 }] }))
    expect(second.status).toBe('changing')
    const last = applyRowMessage(
      second,
      create('rows.changed', 3, { items: [{ id: 1, text: 'new' }], order: [4, 1, 3] }),
    )
    expect(last).toEqual({ items: [{ id: 4 }, { id: 1, text: 'new' }, { id: 3 }], seq: 3, status: 'current' })
  })

  it.each([
    ['stale after a number that is missing', create('rows.left', 7, { ids: [1], order: [2] }), 'stale'],
    ['stale by rows.stale', create('rows.stale', 6, { reason: 'too_many' }), 'stale'],
    ['ended by rows.ended', create('rows.ended', 6, { code: 'forbidden' }), 'ended'],
    ['as it was after a message of before', create('rows.left', 5, { ids: [1], order: [2] }), 'current'],
  ])('leaves the items, and the page is %s', (_, message, status) => {
    const before = page(rows(1, 2), 5)
    expect(applyRowMessage(before, message)).toEqual({ ...before, seq: message.seq === 5 ? 5 : message.seq, status })
    for (const last of ['stale', 'ended'] as const) {
      const ended = { ...before, status: last }
      expect(applyRowMessage(ended, create('rows.left', 6, { ids: [1], order: [2] }))).toBe(ended)
    }
  })
})

describe('compareItems', () => {
  it('keeps equal items and names what differs', () => {
    const before = [{ id: 1, text: 'a' }, { id: 2 }, { id: 3 }]
    const { items, change } = compareItems(before, [{ id: 3 }, { id: 1, text: 'b' }, { id: 4 }])
    expect(items[0]).toBe(before[2])
    expect(change).toEqual({ entered: [4], changed: [1], left: [2], isMoved: true })
    expect(compareItems(before, structuredClone(before))).toEqual({ items: before, change: undefined })
  })
})
