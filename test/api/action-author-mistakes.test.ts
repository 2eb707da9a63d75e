import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow, type Table } from '../../lib/index.ts'
import { samples } from '../support/fixture-schema.ts'

const valid = { name: 'valid', from: samples, key: 'id', scope: everyRow, columns: { short: { label: 'Short' } } }

/** What types refuse already is written past them, as an author without types would. */
const registered = (changes: object) => () =>
  createRegistry([{ definition: { ...valid, ...changes } } as unknown as Table<Record<string, unknown>>])

describe('createRegistry refuses a table', () => {
  it.each<[string, object, RegExp]>([
    ['with an action that does nothing', { rowActions: { act: {} } }, /the action "act" has neither run nor runAll/],
    [
      'with a toggle that does nothing',
      { rowActions: { act: { type: 'toggle', current: () => true } } },
      /has neither run/,
    ],
    [
      'with several rows that nothing runs on',
      { rowActions: { go: { type: 'redirect', to: () => '/', bulk: true } } },
      /the action "go" has nothing to run on several rows/,
    ],
    [
      'with a form to open that is none',
      { rowActions: { act: { onSuccess: 'OpenModalForm', run: () => {} } } },
      /the action "act" opens a form and has none/,
    ],
    [
      'with a bulk action that neither exports nor runs',
      { bulkActions: { act: {} } },
      /the bulk action "act" must have either an export or a run/,
    ],
    [
      'with a bulk action that exports and runs',
      { bulkActions: { act: { export: 'excel', run: () => {} } } },
      /the bulk action "act" must have either an export or a run/,
    ],
    ...[0, -1, 1.5, 20_001, Number.NaN, '10'].map((chunk): [string, object, RegExp] => [
      `with chunks of ${chunk} rows`,
      { bulkActions: { act: { chunk, run: () => {} } } },
      /the chunk of the bulk action "act" must be from 1 to 20000/,
    ]),
    [
      'with an instant bulk action over more rows than a client waits for',
      { bulkActions: { act: { maxRows: 3_001, run: () => {} } } },
      /maxRows of the instant bulk action "act" must be 3000 or less/,
    ],
    ...[0, -1, 0.5, Number.POSITIVE_INFINITY].map((maxRows): [string, object, RegExp] => [
      `with a bulk action over at most ${maxRows} rows`,
      { bulkActions: { act: { maxRows, run: () => {} } } },
      /maxRows of the bulk action "act" must be 1 or more/,
    ]),
  ])('%s', (_, changes, message) => {
    expect(registered(changes)).toThrow(message)
  })

  it.each<[string, object]>([
    [
      'an action in place of show_details that does nothing of its own',
      { rowActions: { 'Show Details': { label: 'Look' } } },
    ],
    ['actions that only lead somewhere', { rowActions: { go: { type: 'redirect', to: () => '/' } } }],
    [
      'chunks of one row and of 5,000',
      { bulkActions: { a: { chunk: 1, run: () => {} }, b: { chunk: 5_000, run: () => {} } } },
    ],
  ])('but takes %s', (_, changes) => {
    expect(registered(changes)).not.toThrow()
  })
})
